"""Threads of an eighteenth list: 60 symptoms, half of runs that die, half of runs that end.

The symptoms were written down before the first result, as a user would say them: 30 of runs that
die or hang (a reward function that raises, a column's KeyError, dtypes, resuming, saving, images …)
and 30 of runs that end and train on the wrong thing (rewards, labels, masks, steps, schedules,
templates, adapters, references, best checkpoints …). random.Random("dotterel").shuffle gave their
order; 59 were asked, of issues. Nearly all threads of TRL's own tracker were here already, so some
20 were asked in other words, with the names of other projects or once of pages; six searches were
for more of what a thread says. Of each answer the first thread of 2024 to 2026 was taken whose
number was nowhere here or in the list before this, which runs in an environment here, and whose
cause can be known before the run. The answer about completion-only losses gave two, trl#1183 and
unsloth#1102; unsloth#3177 came by the look-up of another. That a failure was here already was no
reason to leave a thread out: rl-swarm#240, Liger-Kernel#487, trl#3028, DistillKit#26 and trl#1789
are such, because users meet these most. At most three are from one project besides TRL.

Ten die, eight end. It was decided before the doctor was asked that all causes are knowable: by the
arguments and the release (Liger-Kernel#487, rl-swarm#240, trl#3081, #4719, transformers#40221,
unsloth#3177), by the objects (trl#3028, #2046, #1789, #1233, DistillKit#26, unsloth#1102), by the
rows (trl#1183, #2253, open-r1#570, unsloth#2904). The hardest are Visual-RFT#176, which shows only
if the reward function is called with an empty answer, and Soup#721, which only the script's text
has. Some are rebuilt otherwise: the run of trl#2046 ended, and 0.12.2 refuses it; of the three
repairs of DistillKit#26 one is here; unsloth's threads are written with TRL's own classes.

Left out: no known cause: trl#2703, #3432, peft#3554; a package or a pair that no environment has:
trl#4416, rl-swarm#300; the model alone decides: trl#6263; no longer failing: transformers#36550;
another project's own trainer: unsloth#2900, #9326, axolotl#2277; the thread trl#3268 once more:
Qwen3-VL#1076.
"""

from dataclasses import replace

from reports.eighteenth import rewards, roles, rows, steps
from reports.report import PREFERENCES, PROMPTS, Report, changed

EXAMPLE = """\
# fine-tunes with the kernels patched in, after the example of the project
from dataclasses import dataclass

import datasets
import transformers
from trl import DataCollatorForCompletionOnlyLM, SFTTrainer


@dataclass
class CustomArguments:
    model_name: str = "model"
    dataset: str = "alpaca.jsonl"
    max_seq_length: int = 512


def to_texts(example):
    return f"### Question: {example['prompt']}\\n### Answer:{example['chosen']}"


def train():
    parser = transformers.HfArgumentParser((transformers.TrainingArguments, CustomArguments))
    training_args, custom_args = parser.parse_dict(
        {
            "output_dir": "alpaca_finetuning",
            "per_device_train_batch_size": 2,
            "learning_rate": 6e-6,
            "max_steps": 1,
            "report_to": "none",
            "save_strategy": "no",
            "use_cpu": True,
        }
    )
    tokenizer = transformers.AutoTokenizer.from_pretrained(
        custom_args.model_name, padding_side="left"
    )
    dataset = datasets.load_dataset("json", data_files=custom_args.dataset)["train"]
    split = dataset.train_test_split(test_size=0.25, seed=1)
    model = transformers.AutoModelForCausalLM.from_pretrained(custom_args.model_name)
    trainer = SFTTrainer(
        model=model,
        args=training_args,
        data_collator=DataCollatorForCompletionOnlyLM(
            tokenizer=tokenizer, response_template="### Answer:"
        ),
        processing_class=tokenizer,
        max_seq_length=custom_args.max_seq_length,
        train_dataset=split["train"],
        eval_dataset=split["test"],
        formatting_func=to_texts,
    )
    trainer.train()


if __name__ == "__main__":
    train()
"""
SWARM = """\
import yaml
from datasets import load_dataset
from transformers import AutoTokenizer
from trl import GRPOConfig, GRPOTrainer


class StageTrainer(GRPOTrainer):
    def __init__(self, *, tokenizer, stage, **kwargs):
        self.stage = stage
        super().__init__(processing_class=tokenizer, **kwargs)


def count_words(completions, **kwargs):
    return [float(len(text.split())) for text in completions]


with open("grpo-0.5b.yaml") as opened:
    settings = yaml.safe_load(opened)
model_name = settings.pop("model_name_or_path")
data_file = settings.pop("dataset_id_or_path")

tokenizer = AutoTokenizer.from_pretrained(model_name)
data = load_dataset("json", data_files=data_file, split="train")
for stage in range(2):
    trainer = StageTrainer(
        tokenizer=tokenizer,
        stage=stage,
        model=model_name,
        args=GRPOConfig(**settings),
        reward_funcs=[count_words],
        train_dataset=data,
    )
    trainer.train()
"""
SWARM_SETTINGS = """\
# Model arguments
model_name_or_path: model
dataset_id_or_path: questions.jsonl

# Training arguments
output_dir: runs/gsm8k
max_steps: 1
per_device_train_batch_size: 1
gradient_accumulation_steps: 4
learning_rate: 5.0e-4
lr_scheduler_type: cosine
warmup_ratio: 0.03

# GRPO arguments
num_generations: 8
max_prompt_length: 64
max_completion_length: 16
beta: 0.001

# Logging
report_to: none
save_strategy: "no"
use_cpu: true
seed: 42
"""
THREADS = (
    Report(
        "linkedin/Liger-Kernel#487",
        "grpo-first",
        "unexpected keyword argument 'max_seq_length'",
        "max_seq_length",
        {"train.py": EXAMPLE, "alpaca.jsonl": PREFERENCES},
        changed(
            EXAMPLE,
            (
                "DataCollatorForCompletionOnlyLM, SFTTrainer\n",
                "DataCollatorForCompletionOnlyLM, SFTConfig, SFTTrainer\n",
            ),
            ("transformers.TrainingArguments, CustomArguments", "SFTConfig, CustomArguments"),
            (
                '            "output_dir"',
                '            "max_seq_length": 512,\n            "output_dir"',
            ),
            ("        max_seq_length=custom_args.max_seq_length,\n", ""),
            ("    max_seq_length: int = 512\n", ""),
        ),
        level="",
    ),
    Report(
        "gensyn-ai/rl-swarm#240",
        "grpo-first",
        "must be evenly divisible by the number of generations",
        "num_generations|per_device_train_batch_size",
        {
            "train.py": SWARM,
            "grpo-0.5b.yaml": SWARM_SETTINGS,
            "questions.jsonl": PROMPTS,
        },
        {
            "grpo-0.5b.yaml": SWARM_SETTINGS.replace(
                "per_device_train_batch_size: 1\n", "per_device_train_batch_size: 8\n"
            )
        },
        level="",
    ),
)
REPORTS = tuple(
    replace(report, group="eighteenth")
    for report in (*THREADS, *rewards.REPORTS, *roles.REPORTS, *rows.REPORTS, *steps.REPORTS)
)
