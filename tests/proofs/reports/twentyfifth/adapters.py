"""A thread of a twenty-fifth list: a head that the saved adapter does not have."""

from reports.report import CHOICES, Report, changed

SCORE_HEAD = """\
import torch
from datasets import load_dataset
from peft import LoraConfig, PeftModel
from transformers import AutoModelForSequenceClassification, AutoTokenizer
from trl import RewardConfig, RewardTrainer

model_name = "model"
tokenizer = AutoTokenizer.from_pretrained(model_name)
lora_target_modules = ["q_proj", "v_proj"]
config = LoraConfig(
    r=8,
    lora_alpha=16,
    target_modules=lora_target_modules,
    lora_dropout=0.0,
    bias="none",
    modules_to_save=lora_target_modules.append("score"),
)


def base():
    return AutoModelForSequenceClassification.from_pretrained(
        model_name, num_labels=1, dtype=torch.float32
    )


trainer = RewardTrainer(
    model=base(),
    processing_class=tokenizer,
    train_dataset=load_dataset("json", data_files="notes.jsonl", split="train"),
    peft_config=config,
    args=RewardConfig(
        output_dir="classifier",
        max_steps=4,
        per_device_train_batch_size=2,
        learning_rate=1e-3,
        logging_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
trainer.save_model("classifier")

loaded = PeftModel.from_pretrained(base(), "classifier").eval()
inputs = tokenizer("Count to five. One, two, three, four, five.", return_tensors="pt")
with torch.no_grad():
    here, there = trainer.model.eval()(**inputs).logits, loaded(**inputs).logits
print("the loaded model gives", "the same" if torch.allclose(here, there, atol=1e-4) else "another")
"""
REPORTS = (
    Report(
        "huggingface/peft#577",
        "current",
        "the loaded model gives another",
        r"modules_to_save|\.append\(|\bscore\b.{0,120}(saved?|kept|trained|random|new)",
        {"train.py": SCORE_HEAD, "notes.jsonl": CHOICES},
        changed(
            SCORE_HEAD,
            ('lora_target_modules.append("score")', '["score"]'),
        ),
        level="",
    ),
)
