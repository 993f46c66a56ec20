"""Threads of a nineteenth list: steps, schedules and metrics."""

from reports.report import COMPLETIONS, TEXT, Report, changed

WARMUP = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, TrainerCallback
from trl import SFTConfig, SFTTrainer


class Rates(TrainerCallback):
    def __init__(self):
        self.rates = []

    def on_step_begin(self, args, state, control, optimizer=None, lr_scheduler=None, **kwargs):
        self.rates.append(lr_scheduler.get_last_lr()[0])


args = SFTConfig(
    output_dir="warm",
    num_train_epochs=1,
    per_device_train_batch_size=2,
    gradient_accumulation_steps=1,
    learning_rate=2e-5,
    lr_scheduler_type="linear",
    warmup_steps=1,
    max_length=128,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
)
rates = Rates()
trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    args=args,
    processing_class=AutoTokenizer.from_pretrained("model"),
    train_dataset=load_dataset("json", data_files="texts.jsonl", split="train"),
    callbacks=[rates],
)
trainer.train()
print(f"{len(rates.rates)} updates, without effect: {sum(rate == 0 for rate in rates.rates)}")
"""
BEST_EPOCH = """\
import yaml
from datasets import load_dataset
from trl import SFTConfig, SFTTrainer

with open("sft.yaml") as opened:
    config = yaml.safe_load(opened)

data = load_dataset("json", data_files=config.pop("dataset"), split="train")
split = data.train_test_split(test_size=config.pop("split_dataset_ratio"), seed=42)
trainer = SFTTrainer(
    model=config.pop("model"),
    args=SFTConfig(**config),
    train_dataset=split["train"],
    eval_dataset=split["test"],
)
trainer.train()
"""
BEST_EPOCH_CONFIG = """\
model: model
dataset: pairs.jsonl
split_dataset_ratio: 0.25
output_dir: output
num_train_epochs: 1
per_device_train_batch_size: 1
per_device_eval_batch_size: 1
learning_rate: 1.0e-4
eval_strategy: epoch
save_strategy: epoch
metric_for_best_model: epoch
save_total_limit: 2
report_to: none
use_cpu: true
bf16: false
"""
REPORTS = (
    Report(
        "huggingface/transformers#34754",
        "current",
        "2 updates, without effect: 1",
        "warmup",
        {"train.py": WARMUP, "texts.jsonl": TEXT},
        changed(WARMUP, ("    warmup_steps=1,\n", "    warmup_steps=0,\n")),
    ),
    Report(
        "modelscope/ms-swift#4323",
        "four",
        "eval_epoch",
        "metric_for_best_model",
        {"train.py": BEST_EPOCH, "pairs.jsonl": COMPLETIONS, "sft.yaml": BEST_EPOCH_CONFIG},
        {"sft.yaml": BEST_EPOCH_CONFIG.replace("best_model: epoch", "best_model: loss")},
    ),
)
