"""Threads of a nineteenth list: preferences."""

from reports.report import PREFERENCES, Report, changed

HALF = """\
import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer

MODEL = "model"

tokenizer = AutoTokenizer.from_pretrained(MODEL)
model = AutoModelForCausalLM.from_pretrained(
    MODEL, torch_dtype=torch.half, low_cpu_mem_usage=True
)
ref_model = AutoModelForCausalLM.from_pretrained(
    MODEL, torch_dtype=torch.half, low_cpu_mem_usage=True
)

training_args = DPOConfig(
    output_dir="dpo-half",
    per_device_train_batch_size=2,
    gradient_accumulation_steps=1,
    max_steps=3,
    learning_rate=1e-3,
    lr_scheduler_type="constant",
    max_length=64,
    logging_steps=1,
    remove_unused_columns=False,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
)
trainer = DPOTrainer(
    model,
    ref_model,
    args=training_args,
    train_dataset=load_dataset("json", data_files="pairs.jsonl", split="train"),
    processing_class=tokenizer,
)
trainer.train()

inputs = tokenizer("Count to five.", return_tensors="pt")
answer = trainer.model.generate(**inputs, do_sample=True, max_new_tokens=8)
print(tokenizer.decode(answer[0]))
"""
POLICY_AS_REFERENCE = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer


class NoisyDPOTrainer(DPOTrainer):
    \"\"\"The answers that are rejected lose some of their characters.\"\"\"

    def __init__(self, *args, noise=0.1, **kwargs):
        kwargs.setdefault("ref_model", None)
        super().__init__(*args, **kwargs)
        self.noise = noise
        # one model in memory is enough: the reference is the model itself, without gradients
        self.ref_model = None


def main():
    model = AutoModelForCausalLM.from_pretrained("model")
    trainer = NoisyDPOTrainer(
        model=model,
        args=DPOConfig(
            output_dir="povid",
            beta=0.1,
            learning_rate=1e-3,
            lr_scheduler_type="constant",
            max_steps=3,
            per_device_train_batch_size=4,
            logging_steps=1,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
        ),
        train_dataset=load_dataset("json", data_files="pairs.jsonl", split="train"),
        processing_class=AutoTokenizer.from_pretrained("model"),
    )
    trainer.train()


if __name__ == "__main__":
    main()
"""
C_ATTN = """\
import json

from datasets import load_dataset
from peft import LoraConfig
from trl import DPOConfig, DPOTrainer

with open("dpo_lora.json") as opened:
    settings = json.load(opened)

lora = LoraConfig(
    r=settings["lora_rank"],
    lora_alpha=2 * settings["lora_rank"],
    lora_dropout=settings["lora_dropout"],
    target_modules=settings["lora_target"].split(","),
    task_type="CAUSAL_LM",
)
args = DPOConfig(
    output_dir="saves/dpo_lora",
    beta=settings["dpo_beta"],
    learning_rate=settings["learning_rate"],
    max_length=settings["cutoff_len"],
    max_steps=1,
    per_device_train_batch_size=2,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
)
trainer = DPOTrainer(
    model=settings["model_name_or_path"],
    args=args,
    train_dataset=load_dataset("json", data_files=settings["dataset"], split="train"),
    peft_config=lora,
)
trainer.train()
"""
LORA_SETTINGS = """\
{
  "model_name_or_path": "model",
  "dataset": "compare.jsonl",
  "cutoff_len": 128,
  "learning_rate": 0.0001,
  "dpo_beta": 0.1,
  "lora_rank": 8,
  "lora_dropout": 0.1,
  "lora_target": "c_attn"
}
"""
REPORTS = (
    Report(
        "huggingface/trl#1199",
        "grpo-first",
        "probability tensor contains either",
        "half|float16",
        {"train.py": HALF, "pairs.jsonl": PREFERENCES},
        changed(HALF, ("torch.half", "torch.bfloat16")),
    ),
    Report(
        "YiyangZhou/POVID#11",
        "grpo-first",
        "'train_loss': 0.693147",
        "ref_model|reference",
        {"train.py": POLICY_AS_REFERENCE, "pairs.jsonl": PREFERENCES},
        changed(
            POLICY_AS_REFERENCE,
            (
                "        # one model in memory is enough: the reference is the model itself, "
                "without gradients\n        self.ref_model = None\n",
                "",
            ),
        ),
        level="",
    ),
    Report(
        "hiyouga/LlamaFactory#3478",
        "current",
        "Target modules",
        "c_attn",
        {"train.py": C_ATTN, "compare.jsonl": PREFERENCES, "dpo_lora.json": LORA_SETTINGS},
        {"dpo_lora.json": LORA_SETTINGS.replace("c_attn", "q_proj,v_proj")},
    ),
)
