"""Threads of a thirty-sixth list: columns that are not there."""

from reports.report import PAIRS, Report, changed, rows

TRAIN = rows(*({"id": n, "instruction": a, "output": b} for n, (a, b) in enumerate(PAIRS)))
TEST = rows(*({"id": n, "instruction": a} for n, (a, b) in enumerate(PAIRS[:2])))
SPLITS = '''\
"""Fine-tunes on instructions, with a loss on other ones after each epoch."""

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

FILES = {"train": "data/train.jsonl", "validation": "data/test.jsonl"}


def to_completion(row):
    return {"prompt": f"Instruction: {row['instruction']}\\n", "completion": row["output"]}


def main():
    data = {}
    for split, path in FILES.items():
        raw = load_dataset("json", data_files=path, split="train")
        data[split] = raw.map(to_completion, remove_columns=raw.column_names)
    trainer = SFTTrainer(
        model=AutoModelForCausalLM.from_pretrained("model"),
        processing_class=AutoTokenizer.from_pretrained("model"),
        train_dataset=data["train"],
        eval_dataset=data["validation"],
        args=SFTConfig(
            output_dir="continued",
            num_train_epochs=1,
            eval_strategy="epoch",
            per_device_train_batch_size=2,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
        ),
    )
    trainer.train()


if __name__ == "__main__":
    main()
'''
SHEET = "instruction,output\r\n" + "".join(f"{a},{b.replace(',', '')}\r\n" for a, b in PAIRS)
HEADER = '''\
"""Fine-tunes on a sheet; its first line says which columns it has."""

from pathlib import Path

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

SHEET = Path("sheet.csv")


def columns(path):
    """The names in the first line: questions are in the first column, answers in the last."""
    names = path.read_bytes().split(b"\\n")[0].decode("utf-8").split(",")
    return names[0], names[-1]


def main():
    asked, answered = columns(SHEET)
    sheet = load_dataset("csv", data_files=str(SHEET), split="train")
    data = sheet.map(
        lambda row: {"prompt": row[asked], "completion": " " + row[answered]},
        remove_columns=sheet.column_names,
    )
    trainer = SFTTrainer(
        model=AutoModelForCausalLM.from_pretrained("model"),
        processing_class=AutoTokenizer.from_pretrained("model"),
        train_dataset=data,
        args=SFTConfig(
            output_dir="sheet",
            max_steps=1,
            per_device_train_batch_size=2,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
        ),
    )
    trainer.train()


if __name__ == "__main__":
    main()
'''
REPORTS = (
    Report(
        "zjunlp/DeepKE#571",
        "four",
        "KeyError: 'output'",
        r"test\.jsonl|'output'|\boutput\b",
        {"train.py": SPLITS, "data/train.jsonl": TRAIN, "data/test.jsonl": TEST},
        {"data/test.jsonl": TRAIN},
    ),
    Report(
        "h2oai/h2o-llmstudio#336",
        "four",
        r"KeyError: 'output\\r'",
        r"output\\+r|carriage|line ending|\boutput\b",
        {"train.py": HEADER, "sheet.csv": SHEET},
        changed(HEADER, ('.split(b"\\n")[0]', ".splitlines()[0]")),
    ),
)
