"""Threads that searches for trainers with a symptom found: pairs and their configs."""

from reports.report import PREFERENCES, Report, changed

COURSE = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer

dataset = load_dataset("json", data_files="rows.jsonl", split="train")
model_name = "model"
model = AutoModelForCausalLM.from_pretrained(model_name)
model.config.use_cache = False
tokenizer = AutoTokenizer.from_pretrained(model_name)

finetune_name = "SmolLM2-FT-DPO"
finetune_tags = ["smol-course", "module_1"]

training_args = DPOConfig(
    per_device_train_batch_size=2,
    gradient_accumulation_steps=2,
    gradient_checkpointing=True,
    learning_rate=5e-5,
    lr_scheduler_type="cosine",
    max_steps=1,
    save_strategy="no",
    logging_steps=1,
    output_dir="smol_dpo_output",
    remove_unused_columns=False,
    use_cpu=True,
    bf16=False,
    report_to="none",
    run_name=finetune_name,
)
trainer = DPOTrainer(
    model=model,
    args=training_args,
    train_dataset=dataset,
    processing_class=tokenizer,
    # how strongly the preferences count
    beta=0.1,
    # longest prompt in tokens
    max_prompt_length=1024,
    # longest prompt with its answer
    max_length=1536,
)
trainer.train()
trainer.save_model(f"./{finetune_name}")
"""
ITERATIVE = """\
from dataclasses import dataclass, field
from typing import Optional

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, HfArgumentParser
from trl import DPOConfig, DPOTrainer


@dataclass
class ScriptArguments:
    beta: Optional[float] = field(default=0.1, metadata={"help": "the beta of the DPO loss"})
    model_name_or_path: str = field(default="model")
    ref_model: str = field(default="model")
    train_dir: str = field(default="rows.jsonl")
    loss_type: str = field(default="sigmoid")
    max_steps: int = field(default=1)


class PreferenceTrainer(DPOTrainer):
    def __init__(self, model, ref_model, beta=0.1, loss_type="sigmoid", **given):
        super().__init__(
            model=model, ref_model=ref_model, beta=beta, loss_type=loss_type, **given
        )
        print("pairs of this iteration:", len(self.train_dataset))


if __name__ == "__main__":
    parser = HfArgumentParser(ScriptArguments)
    script_args = parser.parse_args_into_dataclasses()[0]
    model = AutoModelForCausalLM.from_pretrained(script_args.model_name_or_path)
    model_ref = AutoModelForCausalLM.from_pretrained(script_args.ref_model)
    tokenizer = AutoTokenizer.from_pretrained(script_args.model_name_or_path)
    training_args = DPOConfig(
        output_dir="iteration-1",
        per_device_train_batch_size=2,
        max_steps=script_args.max_steps,
        learning_rate=5e-5,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
    )
    trainer = PreferenceTrainer(
        model,
        model_ref,
        args=training_args,
        beta=script_args.beta,
        loss_type=script_args.loss_type,
        train_dataset=load_dataset("json", data_files=script_args.train_dir, split="train"),
        processing_class=tokenizer,
    )
    trainer.train()
"""
FOUNDRY = """\
import argparse

import yaml
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer


def main(spec):
    tokenizer = AutoTokenizer.from_pretrained(spec["model"])
    model = AutoModelForCausalLM.from_pretrained(spec["model"])
    dataset = load_dataset("json", data_files=spec["data"], split="train")
    args = DPOConfig(
        output_dir=spec["output"],
        max_steps=spec["steps"],
        learning_rate=float(spec["learning_rate"]),
        per_device_train_batch_size=spec["batch"],
        beta=spec["beta"],
        max_length=spec["max_length"],
        max_prompt_length=spec["max_prompt_length"],
        max_completion_length=spec["max_completion_length"],
        label_pad_token_id=-100,
        include_tokens_per_second=True,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    )
    trainer = DPOTrainer(
        model=model, args=args, train_dataset=dataset, processing_class=tokenizer
    )
    trainer.train()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", default="dpo.yaml")
    with open(parser.parse_args().config) as file:
        main(yaml.safe_load(file))
"""
SPEC = """\
model: model
data: rows.jsonl
output: polyglot-dpo
steps: 1
batch: 2
learning_rate: 5e-5
beta: 0.1
max_length: 128
max_prompt_length: 64
max_completion_length: 64
"""
GIVEN = "        beta=script_args.beta,\n        loss_type=script_args.loss_type,\n"
REPORTS = (
    Report(
        "huggingface/smol-course#131",
        "four",
        "unexpected keyword argument 'beta'",
        "\\bbeta\\b",
        {"train.py": COURSE, "rows.jsonl": PREFERENCES},
        changed(
            COURSE,
            (COURSE[COURSE.index("    # how strongly") : COURSE.index(")\ntrainer.train")], ""),
            (
                "    run_name=finetune_name,\n",
                "    run_name=finetune_name,\n    beta=0.1,\n    max_prompt_length=1024,\n"
                "    max_length=1536,\n",
            ),
        ),
    ),
    Report(
        "RLHFlow/Online-RLHF#32",
        "grpo-first",
        "unexpected keyword argument 'beta'",
        "\\bbeta\\b",
        {"train.py": ITERATIVE, "rows.jsonl": PREFERENCES},
        changed(
            ITERATIVE,
            (', beta=0.1, loss_type="sigmoid", **given', ", **given"),
            (", beta=beta, loss_type=loss_type, **given", ", **given"),
            (GIVEN, ""),
            ("max_steps=script_args.max_steps,\n", f"max_steps=script_args.max_steps,\n{GIVEN}"),
        ),
    ),
    Report(
        "Polygl0t/llm-foundry#72",
        "current",
        "unexpected keyword argument",
        "max_prompt_length|max_completion_length|label_pad_token_id|include_tokens_per_second",
        {"train.py": FOUNDRY, "dpo.yaml": SPEC, "rows.jsonl": PREFERENCES},
        changed(
            FOUNDRY,
            (
                FOUNDRY[FOUNDRY.index("        max_prompt_") : FOUNDRY.index("        report_to")],
                "",
            ),
        ),
    ),
)
