"""Rows that a script cleans for SFT, in a wrong and in a healthy form."""

from __future__ import annotations

import json

from two_forms.script import TwoForms

SCRIPT = """\
import json

from datasets import Dataset
from transformers import AutoTokenizer
from trl import SFTConfig, SFTTrainer

rows = [json.loads(line) for line in open("rows.jsonl")]


def clean(text):
    text = text.encode("ascii", "ignore").decode()  #~clean
    return text.strip()


seen, kept = set(), []
for row in rows:
    key = row["system"]  #~drop
    key = row["question"]  #~keep
    if key not in seen:
        seen.add(key)
        kept.append(row)
talks = [
    [{"role": "system", "content": row["system"]},
     {"role": "user", "content": clean(row["question"])},
     {"role": "assistant", "content": clean(row["answer"])}]
    for row in kept
]
args = SFTConfig(output_dir="out", max_steps=1, per_device_train_batch_size=2, use_cpu=True,
                 bf16=False, report_to="none", save_strategy="no")
trainer = SFTTrainer("models/healthy", args,
                     train_dataset=Dataset.from_dict({"messages": talks}))
trainer.train()
text = AutoTokenizer.from_pretrained("models/healthy").decode(
    trainer.train_dataset[0]["input_ids"])
print("ROWS", len(trainer.train_dataset), "CHEESE", "K\u00e4se" in text)
"""
ROWS = "".join(
    json.dumps({
        "system": ("Be kind.", "Be short.")[number % 2],
        "question": f"Wo liegt der Käse mit der Nummer {number} im alten Haus?",
        "answer": f"Im Zimmer {number + 2} steht der Käse für die Mädchen.",
    }, ensure_ascii=False) + "\n"
    for number in range(40)
)  # fmt: skip


def _script(bad: str, good: str, away: str, other: str) -> str:
    """One of the two mistakes in two forms; the other one is not made."""
    text = SCRIPT.replace(f"#~{bad}", "#~bad").replace(f"#~{good}", "#~good")
    lines = [line for line in text.splitlines() if not line.endswith(f"#~{away}")]
    return "\n".join(line.removesuffix(f"  #~{other}") for line in lines) + "\n"


SCRIPTS = tuple(
    TwoForms(
        f"{name}, {environment}", environment, rule, script, shows, "ROWS 40 CHEESE True",
        severity="warning", says=says, files={"rows.jsonl": ROWS},
    )
    for environment in ("current", "four")
    for name, rule, script, shows, says in (
        ("letters that are deleted", "data-characters-deleted",
         _script("clean", "none", "drop", "keep"), "ROWS 40 CHEESE False",
         "have lost letters outside of ASCII"),
        ("rows that are dropped", "data-dropped-as-duplicates",
         _script("drop", "keep", "clean", "none"), "ROWS 2 CHEESE True",
         "2 of the 40 rows that were read are trained on: one for each value of system"),
    )
)  # fmt: skip
