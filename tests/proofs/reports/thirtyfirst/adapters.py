"""Threads of a thirty-first list: adapters, and what becomes of them."""

from reports.report import PROMPTS, TEXT, Report, changed, rows

SECOND = rows(*({"text": f"The {one} is blue."} for one in ("sea", "sky", "door", "hat")))
STAGES = '''\
from pathlib import Path

import yaml
from datasets import load_dataset
from peft import LoraConfig
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import GRPOConfig, GRPOTrainer, SFTConfig, SFTTrainer

COMMON = {"report_to": "none", "use_cpu": True, "bf16": False, "save_strategy": "no"}


def sft_run(config):
    """The first job: an adapter on the base model."""
    trainer = SFTTrainer(
        model=config["model_name"],
        args=SFTConfig(**config["training_args"], **COMMON),
        train_dataset=load_dataset("json", data_files=config["dataset"], split="train"),
        peft_config=LoraConfig(**config["peft_config"]),
    )
    trainer.train()
    trainer.save_model(config["output"])


def count_letters(completions, **kwargs):
    return [float(len(set(completion))) for completion in completions]


def grpo_run(config):
    """The second job goes on from the adapter of the first."""
    train_config = config["train_config"]
    tokenizer = AutoTokenizer.from_pretrained(config["model_name"])
    model = AutoModelForCausalLM.from_pretrained(config["model_name"])
    peft_config = None
    if config.get("peft_config"):
        peft_config = LoraConfig(**config["peft_config"])
    trainer = GRPOTrainer(
        model=model,
        reward_funcs=count_letters,
        args=GRPOConfig(**train_config["training_args"], **COMMON),
        train_dataset=load_dataset("json", data_files=config["dataset"], split="train"),
        processing_class=tokenizer,
        peft_config=peft_config,
    )
    trainer.train()
    trainer.save_model(config["output"])
    return trainer


if __name__ == "__main__":
    jobs = yaml.safe_load(Path("jobs.yaml").read_text())
    if not Path(jobs["sft"]["output"]).exists():
        sft_run(jobs["sft"])
    trained = grpo_run(jobs["grpo"]).model
    left = [name for name, _ in trained.named_parameters() if "lora_" in name]
    print(f"the policy of the second job has {len(left)} matrices of the first job")
'''
JOBS = """\
sft:
  model_name: model
  dataset: sft.jsonl
  output: runs/sft-adapter
  peft_config:
    task_type: CAUSAL_LM
    r: 4
    target_modules: [q_proj, v_proj]
  training_args:
    output_dir: runs/sft
    max_steps: 1
    per_device_train_batch_size: 2
    learning_rate: 0.001
grpo:
  model_name: model
  dataset: prompts.jsonl
  output: runs/grpo-model
  train_config:
    adapter_path: runs/sft-adapter
    training_args:
      output_dir: runs/grpo
      max_steps: 1
      per_device_train_batch_size: 2
      num_generations: 2
      max_completion_length: 8
      learning_rate: 0.000005
"""
CONTINUED = """\
    peft_config = None
    if train_config.get("adapter_path"):
        model = PeftModel.from_pretrained(model, train_config["adapter_path"], is_trainable=True)
    elif config.get("peft_config"):
"""
AGAIN = """\
import argparse

from datasets import load_dataset
from peft import LoraConfig
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer


def get_args(argv=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--base", default="model")
    parser.add_argument("--first", default="first.jsonl")
    parser.add_argument("--second", default="second.jsonl")
    parser.add_argument("--adapter", default="lora-first")
    parser.add_argument("--lr", type=float, default=1e-2)
    return parser.parse_args(argv or [])


def settings(folder, lr):
    return SFTConfig(
        output_dir=folder,
        max_steps=2,
        per_device_train_batch_size=2,
        learning_rate=lr,
        logging_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    )


args = get_args()
tokenizer = AutoTokenizer.from_pretrained(args.base)

# first data set: a new adapter
trainer = SFTTrainer(
    model=args.base,
    args=settings("out-first", args.lr),
    train_dataset=load_dataset("json", data_files=args.first, split="train"),
    processing_class=tokenizer,
    peft_config=LoraConfig(task_type="CAUSAL_LM", target_modules=["q_proj", "v_proj"]),
)
trainer.train()
trainer.save_model(args.adapter)

# second data set: the same adapter, trained further
model = AutoModelForCausalLM.from_pretrained(args.adapter)
before = {name: weight.detach().clone() for name, weight in model.named_parameters()}
trainer = SFTTrainer(
    model=model,
    args=settings("out-second", args.lr),
    train_dataset=load_dataset("json", data_files=args.second, split="train"),
    processing_class=tokenizer,
)
trainer.train()
moved = sum(not weight.equal(before[name]) for name, weight in model.named_parameters())
print(f"{moved} weights moved on the second data set")
"""
FURTHER = """\
model = PeftModel.from_pretrained(
    AutoModelForCausalLM.from_pretrained(args.base), args.adapter, is_trainable=True
)
"""
REPORTS = (
    Report(
        "Liquid4All/liquid-finetune#35",
        "current",
        "second job has 0 matrices",
        r"adapter_path|adapter.{0,80}(never|not|ignored|unused|nowhere|left)\b"
        r"|(never|not|nothing) (read|used|load)\w*.{0,60}adapter|from the base model",
        {
            "train.py": STAGES,
            "jobs.yaml": JOBS,
            "sft.jsonl": TEXT,
            "prompts.jsonl": PROMPTS,
        },
        changed(
            STAGES,
            ("from peft import LoraConfig\n", "from peft import LoraConfig, PeftModel\n"),
            (
                '    peft_config = None\n    if config.get("peft_config"):\n',
                CONTINUED,
            ),
        ),
    ),
    Report(
        "huggingface/trl#1937",
        "current",
        "0 weights moved on the second data set",
        r"frozen|freez|is_trainable|inference mode|requires_grad"
        r"|\b(no|not|nothing|0)\b.{0,20}trainable"
        r"|\b(no|none of the|0|zero) (weight|parameter|gradient)s?\b|grad\w* .{0,30}(zero|\b0\b)",
        {"train.py": AGAIN, "first.jsonl": TEXT, "second.jsonl": SECOND},
        changed(
            AGAIN,
            ("from peft import LoraConfig\n", "from peft import LoraConfig, PeftModel\n"),
            ("model = AutoModelForCausalLM.from_pretrained(args.adapter)\n", FURTHER),
        ),
    ),
)
