"""Threads of a twenty-eighth list: pairs that repeat themselves, and an adapter that is lost."""

from reports.report import Report, changed
from reports.twentyeighth.data import HELPFUL
from reports.twentyseventh.data import COMPLETIONS

AGAIN = """\
from datasets import load_dataset
from transformers import AutoTokenizer
from trl import DPOConfig, DPOTrainer

tokenizer = AutoTokenizer.from_pretrained("model")


def to_trl(row):
    return {
        "prompt": [{"role": "user", "content": row["prompt"]}],
        "chosen": row["chosen"],
        "rejected": row["rejected"],
    }


helpful = load_dataset("json", data_files="hh.jsonl", split="train")
pairs = helpful.map(to_trl, remove_columns=helpful.column_names)
trainer = DPOTrainer(
    model="model",
    processing_class=tokenizer,
    train_dataset=pairs,
    args=DPOConfig(
        output_dir="dpo-hh",
        max_steps=2,
        per_device_train_batch_size=4,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
twice = 0
for row, tokens in zip(helpful, trainer.train_dataset):
    text = tokenizer.decode(tokens["prompt_ids"] + tokens["chosen_ids"])
    twice += text.count(row["prompt"]) > 1
print("rows whose question comes twice:", twice)
"""
ANEW = """\
import torch
from datasets import load_dataset
from peft import LoraConfig, PeftModel, get_peft_model
from transformers import AutoModelForCausalLM, AutoTokenizer, set_seed
from trl import SFTConfig, SFTTrainer

set_seed(0)
tokenizer = AutoTokenizer.from_pretrained("model")
dataset = load_dataset("json", data_files="quiz.jsonl", split="train")
lora = LoraConfig(r=16, lora_alpha=32, target_modules="all-linear", task_type="CAUSAL_LM")


def trainer_for(model, output_dir):
    return SFTTrainer(
        model=model,
        processing_class=tokenizer,
        train_dataset=dataset,
        args=SFTConfig(
            output_dir=output_dir,
            max_steps=20,
            per_device_train_batch_size=12,
            learning_rate=1e-2,
            logging_steps=1,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
        ),
    )


def load_base():
    return AutoModelForCausalLM.from_pretrained("model", dtype=torch.float32)


def losses(trainer):
    return [log["loss"] for log in trainer.state.log_history if "loss" in log]


first = trainer_for(get_peft_model(load_base(), lora), "first")
first.train()
first.save_model()

def wrap_with_peft(model):
    if isinstance(model, PeftModel):
        model = model.get_base_model()
    return get_peft_model(model, lora)


resume = "first"
model = load_base()
if resume:
    model = PeftModel.from_pretrained(model, resume, is_trainable=True)
model = wrap_with_peft(model)
second = trainer_for(model, "second")
second.train()
start, end = losses(first)[0], losses(first)[-1]
print(f"first run: {start:.2f} to {end:.2f}; the second starts at {losses(second)[0]:.2f}")
print("the second run starts anew:", losses(second)[0] > (start + end) / 2)
"""
REPORTS = (
    Report(
        "huggingface/trl#1582",
        "current",
        "question comes twice: [1-9]",
        r"(prompt|question|user|first message).{0,160}(twice|again|repeat|already|also|inside|both|"
        r"contain|duplicate|two times)|(repeat|twice|duplicate).{0,100}(prompt|question|message)",
        {"train.py": AGAIN, "hh.jsonl": HELPFUL},
        changed(
            AGAIN,
            ('row["chosen"],', 'row["chosen"][-1:],'),
            ('row["rejected"],', 'row["rejected"][-1:],'),
        ),
        level="",
    ),
    Report(
        "huggingface/lerobot#3459",
        "current",
        "the second run starts anew: True",
        r"get_peft_model|second time|(adapter|LoRA).{0,160}(twice|again|overwrit|lost|replac|new|"
        r"reset|anew|random|already|discard)|already.{0,80}(adapter|LoRA|PEFT)",
        {"train.py": ANEW, "quiz.jsonl": COMPLETIONS},
        changed(
            ANEW,
            (
                "    if isinstance(model, PeftModel):\n        model = model.get_base_model()\n",
                "    if isinstance(model, PeftModel):\n        return model\n",
            ),
        ),
        level="",
    ),
)
