"""Threads of a twentieth list: evaluations, their metrics, and the best checkpoint."""

from reports.report import PAIRS, TEXT, Report, changed, rows

ALPACA = rows(*({"instruction": a, "input": "", "output": b} for a, b in PAIRS))
OLD_NAME = """\
from dataclasses import dataclass
from typing import Optional

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, HfArgumentParser
from trl import SFTConfig, SFTTrainer


@dataclass
class ModelArguments:
    model_name_or_path: str


@dataclass
class DataArguments:
    dataset: str
    val_size: float = 0.0
    cutoff_len: int = 2048
    max_samples: Optional[int] = None


def to_pair(example):
    asked = "\\n".join(part for part in (example["instruction"], example["input"]) if part)
    return {"prompt": asked, "completion": example["output"]}


parser = HfArgumentParser((ModelArguments, DataArguments, SFTConfig))
model_args, data_args, training_args = parser.parse_yaml_file("sft.yaml", allow_extra_keys=True)
training_args.max_length = data_args.cutoff_len

data = load_dataset("json", data_files=data_args.dataset, split="train")
data = data.map(to_pair, remove_columns=data.column_names)
split = data.train_test_split(test_size=data_args.val_size, seed=42)
trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained(model_args.model_name_or_path),
    processing_class=AutoTokenizer.from_pretrained(model_args.model_name_or_path),
    train_dataset=split["train"],
    eval_dataset=split["test"],
    args=training_args,
)
trainer.train()
"""
OLD_NAME_CONFIG = """\
### model
model_name_or_path: model

### method
stage: sft
do_train: true
finetuning_type: full

### dataset
dataset: alpaca.jsonl
cutoff_len: 256
val_size: 0.25

### output
output_dir: saves/sft_with_eval
logging_steps: 1
save_strategy: steps
save_steps: 1
report_to: none
load_best_model_at_end: true

### train
per_device_train_batch_size: 1
learning_rate: 5.0e-5
max_steps: 1
use_cpu: true
bf16: false

### eval
evaluation_strategy: steps
eval_steps: 1
per_device_eval_batch_size: 1
"""
NAMED_SETS = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

DATA_INFO = {"custom_alpaca": "alpaca.jsonl"}


def get_dataset(name):
    data = load_dataset("json", data_files=DATA_INFO[name], split="train")
    return data.map(
        lambda row: {"prompt": row["instruction"], "completion": " " + row["output"]},
        remove_columns=data.column_names,
    )


def run_sft(train_set, eval_sets, **arguments):
    training_args = SFTConfig(
        max_steps=2,
        per_device_train_batch_size=2,
        per_device_eval_batch_size=2,
        learning_rate=1e-5,
        report_to="none",
        use_cpu=True,
        bf16=False,
        **arguments,
    )
    trainer = SFTTrainer(
        model=AutoModelForCausalLM.from_pretrained("model"),
        processing_class=AutoTokenizer.from_pretrained("model"),
        train_dataset=get_dataset(train_set),
        eval_dataset={name: get_dataset(name) for name in eval_sets},
        args=training_args,
    )
    trainer.train()
    return trainer.state.best_metric


run_sft(
    "custom_alpaca",
    ["custom_alpaca"],
    output_dir="saves",
    eval_strategy="steps",
    eval_steps=1,
    save_strategy="steps",
    save_steps=1,
    save_total_limit=1,
    load_best_model_at_end=True,
    metric_for_best_model="eval_loss",
)
"""
PATIENCE = """\
import yaml
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, EarlyStoppingCallback
from trl import SFTConfig, SFTTrainer

with open("qlora.yml") as opened:
    cfg = yaml.safe_load(opened)

load_best = (
    cfg["val_set_size"] > 0
    and cfg["save_steps"] % cfg["eval_steps"] == 0
    and not cfg.get("load_in_8bit")
)
training_args = SFTConfig(
    output_dir=cfg["output_dir"],
    max_seq_length=cfg["sequence_len"],
    max_steps=cfg["max_steps"],
    per_device_train_batch_size=cfg["micro_batch_size"],
    learning_rate=cfg["learning_rate"],
    eval_strategy="steps" if cfg["val_set_size"] > 0 else "no",
    eval_steps=cfg["eval_steps"],
    save_steps=cfg["save_steps"],
    save_total_limit=3,
    load_best_model_at_end=load_best,
    report_to="none",
    use_cpu=True,
)
callbacks = []
if cfg.get("early_stopping_patience"):
    callbacks.append(EarlyStoppingCallback(cfg["early_stopping_patience"]))

data = load_dataset("json", data_files=cfg["dataset"], split="train")
split = data.train_test_split(test_size=cfg["val_set_size"], seed=42)
trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained(cfg["base_model"]),
    processing_class=AutoTokenizer.from_pretrained(cfg["base_model"]),
    train_dataset=split["train"],
    eval_dataset=split["test"],
    args=training_args,
    callbacks=callbacks,
)
trainer.train()
"""
PATIENCE_CONFIG = """\
base_model: model
load_in_8bit: false
dataset: texts.jsonl
val_set_size: 0.25
sequence_len: 128
output_dir: qlora-out
micro_batch_size: 1
learning_rate: 0.0002
max_steps: 4
save_steps: 4
eval_steps: 3
early_stopping_patience: 3
"""
REPORTS = (
    Report(
        "hiyouga/LlamaFactory#8133",
        "four",
        "requires the save and eval strategy to match",
        "evaluation_strategy|eval_strategy|eval(uation)? strategy",
        {"train.py": OLD_NAME, "alpaca.jsonl": ALPACA, "sft.yaml": OLD_NAME_CONFIG},
        {"sft.yaml": OLD_NAME_CONFIG.replace("evaluation_strategy", "eval_strategy")},
        level="",
    ),
    Report(
        "hiyouga/LlamaFactory#7906",
        "four",
        "not found in the evaluation metrics",
        "metric_for_best_model|eval_custom_alpaca_loss",
        {"train.py": NAMED_SETS, "alpaca.jsonl": ALPACA},
        changed(NAMED_SETS, ('model="eval_loss"', 'model="eval_custom_alpaca_loss"')),
        level="",
    ),
    Report(
        "axolotl-ai-cloud/axolotl#73",
        "ppo-first",
        "EarlyStoppingCallback requires load_best_model_at_end",
        "EarlyStoppingCallback|load_best_model_at_end",
        {"train.py": PATIENCE, "texts.jsonl": TEXT, "qlora.yml": PATIENCE_CONFIG},
        {"qlora.yml": PATIENCE_CONFIG.replace("eval_steps: 3", "eval_steps: 2")},
        level="",
    ),
)
