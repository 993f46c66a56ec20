"""Threads of a nineteenth list: adapters, and what is saved of them."""

from reports.report import CHATS, CHOICES, PREFERENCES, Report, changed

ADDED_ADAPTER = """\
import sys

from datasets import load_dataset
from peft import LoraConfig
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

OUTPUT = "idefics-lora"


def trainer_of(max_steps):
    model = AutoModelForCausalLM.from_pretrained("model")
    lora_config = LoraConfig(
        r=8, lora_alpha=8, lora_dropout=0.1, target_modules=["q_proj", "k_proj", "v_proj"]
    )
    model.add_adapter(lora_config)
    model.enable_adapters()
    return SFTTrainer(
        model=model,
        processing_class=AutoTokenizer.from_pretrained("model"),
        train_dataset=load_dataset("json", data_files="chats.jsonl", split="train"),
        args=SFTConfig(
            output_dir=OUTPUT,
            max_steps=max_steps,
            save_steps=1,
            per_device_train_batch_size=2,
            learning_rate=1e-4,
            report_to="none",
            use_cpu=True,
            bf16=False,
        ),
    )


trainer_of(1).train()
# the job was stopped here; the next one goes on
trainer_of(2).train(resume_from_checkpoint=True)
print("resumed", file=sys.stderr)
"""
HEADLESS = """\
import torch
from datasets import load_dataset
from peft import LoraConfig, PeftModel, get_peft_model
from transformers import AutoModelForSequenceClassification, AutoTokenizer, set_seed
from trl import RewardConfig, RewardTrainer

BASE = "model"
BEST = "best_model"
set_seed(7)

tokenizer = AutoTokenizer.from_pretrained(BASE)
model = AutoModelForSequenceClassification.from_pretrained(BASE, num_labels=1)
model = get_peft_model(
    model, LoraConfig(r=8, lora_alpha=32, target_modules=["q_proj", "v_proj"])
)
trainer = RewardTrainer(
    model=model,
    args=RewardConfig(
        output_dir="reward_lora",
        max_steps=2,
        per_device_train_batch_size=2,
        learning_rate=1e-3,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    processing_class=tokenizer,
    train_dataset=load_dataset("json", data_files="choices.jsonl", split="train"),
)
trainer.train()
trainer.save_model(BEST)
tokenizer.save_pretrained(BEST)


def score(model):
    inputs = tokenizer("What is seven times six? Forty-two.", return_tensors="pt")
    with torch.no_grad():
        return model.eval()(**inputs).logits.item()


trained = score(trainer.model)
loaded = AutoModelForSequenceClassification.from_pretrained(BASE, num_labels=1)
merged = PeftModel.from_pretrained(loaded, BEST).merge_and_unload()
print("merged and trained", "agree" if abs(score(merged) - trained) < 0.01 else "disagree")
"""
VALUE_HEAD = """\
import torch
from datasets import load_dataset
from transformers import AutoTokenizer, Trainer, TrainingArguments
from trl import AutoModelForCausalLMWithValueHead


class PairwiseDataCollator:
    def __init__(self, tokenizer):
        self.tokenizer = tokenizer

    def __call__(self, features):
        texts = [f["prompt"] + f[side] for side in ("chosen", "rejected") for f in features]
        return self.tokenizer(texts, padding=True, return_tensors="pt")


class PairwiseTrainer(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, **kwargs):
        _, _, values = model(**inputs, return_dict=True)
        last = inputs["attention_mask"].sum(dim=-1, keepdim=True) - 1
        chosen, rejected = values.gather(dim=-1, index=last).squeeze(-1).chunk(2)
        loss = -torch.nn.functional.logsigmoid(chosen.float() - rejected.float()).mean()
        return (loss, values) if return_outputs else loss


tokenizer = AutoTokenizer.from_pretrained("model", padding_side="right")
model = AutoModelForCausalLMWithValueHead.from_pretrained("model")
trainer = PairwiseTrainer(
    model=model,
    args=TrainingArguments(
        output_dir="reward_model",
        max_steps=2,
        save_steps=2,
        per_device_train_batch_size=2,
        learning_rate=1e-5,
        remove_unused_columns=False,
        report_to="none",
        use_cpu=True,
    ),
    data_collator=PairwiseDataCollator(tokenizer),
    train_dataset=load_dataset("json", data_files="comparisons.jsonl", split="train"),
)
trainer.train()
trainer.save_model()
"""
REPORTS = (
    Report(
        "hiyouga/LlamaFactory#3400",
        "grpo-first",
        "Some tensors share memory",
        "safetensors|share memory|tied",
        {"train.py": VALUE_HEAD, "comparisons.jsonl": PREFERENCES},
        changed(
            VALUE_HEAD,
            ("        save_steps=2,\n", "        save_steps=2,\n        save_safetensors=False,\n"),
        ),
        level="",
    ),
    Report(
        "huggingface/transformers#34660",
        "current",
        "Can't find a checkpoint index",
        "add_adapter|adapter",
        {"train.py": ADDED_ADAPTER, "chats.jsonl": CHATS},
        changed(
            ADDED_ADAPTER,
            ("import LoraConfig\n", "import LoraConfig, get_peft_model\n"),
            (
                "    model.add_adapter(lora_config)\n    model.enable_adapters()\n",
                "    model = get_peft_model(model, lora_config)\n",
            ),
        ),
    ),
    Report(
        "huggingface/peft#1836",
        "current",
        "merged and trained disagree",
        "score|task_type|modules_to_save",
        {"train.py": HEADLESS, "choices.jsonl": CHOICES},
        changed(
            HEADLESS,
            (
                'LoraConfig(r=8, lora_alpha=32, target_modules=["q_proj", "v_proj"])',
                'LoraConfig(task_type="SEQ_CLS", r=8, target_modules=["q_proj", "v_proj"])',
            ),
        ),
    ),
)
