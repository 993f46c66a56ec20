"""A thread of a twenty-sixth list: an adapter of layers that the model does not have."""

from reports.report import PAIRS, Report, changed, rows

TEXTS = rows(*({"text": f"{asked} {answer}"} for asked, answer in PAIRS))
TARGETS = """\
import argparse

from datasets import load_dataset
from peft import LoraConfig
from transformers import AutoTokenizer, BloomConfig, BloomForCausalLM
from trl import SFTConfig, SFTTrainer

parser = argparse.ArgumentParser()
parser.add_argument("--lora_target", default="q_proj,v_proj")
parser.add_argument("--lora_rank", default=8, type=int)
args = parser.parse_args()

tokenizer = AutoTokenizer.from_pretrained("model")
# bloom, small
model = BloomForCausalLM(
    BloomConfig(
        vocab_size=320,
        hidden_size=64,
        n_layer=2,
        n_head=2,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
)
lora = LoraConfig(
    r=args.lora_rank,
    lora_alpha=16,
    target_modules=args.lora_target.split(","),
    task_type="CAUSAL_LM",
)
trainer = SFTTrainer(
    model=model,
    processing_class=tokenizer,
    train_dataset=load_dataset("json", data_files="alpaca.jsonl", split="train"),
    peft_config=lora,
    args=SFTConfig(
        output_dir="sft-lora",
        max_steps=1,
        per_device_train_batch_size=2,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
"""
REPORTS = (
    Report(
        "hiyouga/LlamaFactory#181",
        "current",
        "Target modules .{1,60} not found",
        r"target_modules|q_proj|query_key_value",
        {"train.py": TARGETS, "alpaca.jsonl": TEXTS},
        changed(TARGETS, ('default="q_proj,v_proj"', 'default="query_key_value"')),
        level="",
    ),
)
