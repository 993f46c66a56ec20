"""Threads of a fifteenth list: DPO and its arguments."""

from reports.report import PREFERENCES, Report, changed

PRECOMPUTED = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer

model = AutoModelForCausalLM.from_pretrained("model")
tokenizer = AutoTokenizer.from_pretrained("model")
train_dataset = load_dataset("json", data_files="pairs.jsonl", split="train")
training_args = DPOConfig(
    output_dir="dpo-one-model",
    # only one model stays in memory
    precompute_ref_log_probs=True,
    beta=0.1,
    max_length=256,
    max_prompt_length=128,
    per_device_train_batch_size=2,
    max_steps=4,
    learning_rate=1e-3,
    logging_steps=1,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
)
trainer = DPOTrainer(
    model=model,
    args=training_args,
    train_dataset=train_dataset,
    processing_class=tokenizer,
)
trainer.train()
margins = [log["rewards/margins"] for log in trainer.state.log_history if "rewards/margins" in log]
print("the policy is told from its reference:", any(abs(margin) > 1e-4 for margin in margins))
"""
LAST = """\
import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer

tokenizer = AutoTokenizer.from_pretrained("model")
args = DPOConfig(
    output_dir="dpo-pairs",
    max_length=512,
    max_prompt_length=256,
    per_device_train_batch_size=4,
    max_steps=1,
    learning_rate=5e-6,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
)
trainer = DPOTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    ref_model=AutoModelForCausalLM.from_pretrained("model"),
    args=args,
    train_dataset=load_dataset("json", data_files="pairs.jsonl", split="train"),
    processing_class=tokenizer,
)
trainer.train()


def scores(numbers):
    batch = trainer.data_collator([trainer.train_dataset[number] for number in numbers])
    with torch.no_grad():
        return trainer.concatenated_forward(trainer.model, batch)["chosen_logps"]


size = args.per_device_train_batch_size
together = torch.cat([scores(range(at, at + size)) for at in range(0, 4, size)])
alone = torch.cat([scores([number]) for number in range(4)])
print("each answer is scored to its end:", torch.allclose(together, alone, atol=0.05))
"""
MEDICAL = """\
from dataclasses import dataclass, field
from typing import Optional

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, HfArgumentParser
from trl import DPOConfig, DPOTrainer


@dataclass
class ScriptArguments:
    model_name_or_path: str = field(default="model")
    train_file: str = field(default="pairs.jsonl")
    per_device_train_batch_size: int = field(default=2)
    max_source_length: Optional[int] = field(default=128)
    max_target_length: Optional[int] = field(default=128)
    learning_rate: float = field(default=5e-4)
    max_steps: int = field(default=1)
    output_dir: str = field(default="outputs-dpo")


def main():
    args = HfArgumentParser(ScriptArguments).parse_args_into_dataclasses()[0]
    full_max_length = args.max_source_length + args.max_target_length
    tokenizer = AutoTokenizer.from_pretrained(args.model_name_or_path)
    model = AutoModelForCausalLM.from_pretrained(args.model_name_or_path)
    training_args = DPOConfig(
        max_prompt_length=args.max_source_length,
        max_length=full_max_length,
        per_device_train_batch_size=args.per_device_train_batch_size,
        max_steps=args.max_steps,
        learning_rate=args.learning_rate,
        output_dir=args.output_dir,
        remove_unused_columns=False,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    )
    trainer = DPOTrainer(
        model,
        args=training_args,
        train_dataset=load_dataset("json", data_files=args.train_file, split="train"),
        processing_class=tokenizer,
    )
    trainer.train()


if __name__ == "__main__":
    main()
"""
REPORTS = (
    Report(
        "huggingface/trl#2431",
        "ppo-first",
        "the policy is told from its reference: False",
        "precompute_ref_log_probs",
        {"train.py": PRECOMPUTED, "pairs.jsonl": PREFERENCES},
        changed(
            PRECOMPUTED,
            ("    # only one model stays in memory\n", ""),
            ("    precompute_ref_log_probs=True,\n", ""),
        ),
        level="",
    ),
    Report(
        "huggingface/trl#2332",
        "ppo-first",
        "each answer is scored to its end: False",
        "(last|final) (token|column)|end of the (longest|answer)|loses its (end|eos)",
        {"train.py": LAST, "pairs.jsonl": PREFERENCES},
        changed(LAST, ("per_device_train_batch_size=4", "per_device_train_batch_size=1")),
        level="",
    ),
    Report(
        "shibing624/MedicalGPT#480",
        "current",
        "unexpected keyword argument 'max_prompt_length'",
        "max_prompt_length",
        {"train.py": MEDICAL, "pairs.jsonl": PREFERENCES},
        changed(MEDICAL, ("        max_prompt_length=args.max_source_length,\n", "")),
    ),
)
