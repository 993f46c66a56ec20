"""Threads of a twentieth list: answers that are liked, and answers that are not."""

from reports.report import PAIRS, Report, changed, rows

HARMLESS = rows(*({"query": a, "response": f" {b}", "rejected_response": " No."} for a, b in PAIRS))
KTO = """\
import argparse

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer, KTOConfig, KTOTrainer

TRAINERS = {"dpo": (DPOConfig, DPOTrainer), "kto": (KTOConfig, KTOTrainer)}


def to_pairs(row):
    return {
        "prompt": row["query"],
        "chosen": row["response"],
        "rejected": row["rejected_response"],
    }


def to_answers(rows):
    answers = {"prompt": [], "completion": []}
    for query, *both in zip(rows["query"], rows["response"], rows["rejected_response"]):
        answers["prompt"] += [query, query]
        answers["completion"] += both
    return answers


parser = argparse.ArgumentParser()
parser.add_argument("--rlhf_type", choices=TRAINERS, default="kto")
parser.add_argument("--model", default="model")
parser.add_argument("--dataset", default="harmless_base_cn.jsonl")
parser.add_argument("--beta", type=float, default=0.1)
options = parser.parse_args()

data = load_dataset("json", data_files=options.dataset, split="train")
if options.rlhf_type == "kto":
    data = data.map(to_answers, batched=True, remove_columns=data.column_names)
else:
    data = data.map(to_pairs, remove_columns=data.column_names)
config, trainer_class = TRAINERS[options.rlhf_type]
trainer = trainer_class(
    model=AutoModelForCausalLM.from_pretrained(options.model),
    ref_model=AutoModelForCausalLM.from_pretrained(options.model),
    processing_class=AutoTokenizer.from_pretrained(options.model),
    train_dataset=data,
    args=config(
        output_dir="rlhf",
        beta=options.beta,
        max_length=128,
        max_prompt_length=64,
        max_steps=1,
        per_device_train_batch_size=2,
        learning_rate=5e-6,
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
        "modelscope/ms-swift#2417",
        "four",
        "KeyError: 'label'",
        r"column.{0,40}\blabel\b|\blabel\b.{0,40}column",
        {"train.py": KTO, "harmless_base_cn.jsonl": HARMLESS},
        changed(
            KTO,
            ('"completion": []}', '"completion": [], "label": []}'),
            (
                '        answers["completion"] += both\n',
                '        answers["completion"] += both\n'
                '        answers["label"] += [True, False]\n',
            ),
        ),
        level="",
    ),
)
