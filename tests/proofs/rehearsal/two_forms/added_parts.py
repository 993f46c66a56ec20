"""Data sets that a script puts together before it takes the first rows."""

from __future__ import annotations

import json

from two_forms.script import TwoForms

SCRIPT = """\
from datasets import Dataset, concatenate_datasets, load_dataset
from trl import SFTConfig, SFTTrainer

READ
both = concatenate_datasets([sums, towns])
both = both.shuffle(seed=0)  #~good
rows = both.select(range(MOST))
args = SFTConfig(output_dir="out", max_steps=1, per_device_train_batch_size=2, use_cpu=True,
                 bf16=False, report_to="none", save_strategy="no")
trainer = SFTTrainer("models/healthy", args, train_dataset=rows)
trainer.train()
print("TOWNS", any("town" in row["prompt"] for row in rows), len(rows))
"""
FILES = """\
sums, towns = (load_dataset("json", data_files=name, split="train")
               for name in ("sums.jsonl", "towns.jsonl"))
"""
LISTS = """\
sums = Dataset.from_list([{"prompt": f"What is {n} plus one?", "completion": f" {n + 1}"}
                          for n in range(200)])
towns = Dataset.from_list([{"prompt": f"Where is town {n}?", "completion": f" At mile {n}."}
                           for n in range(100)])
"""


def _lines(prompt: str, answer: str, rows: int) -> str:
    texts = ((prompt.format(n), answer.format(n)) for n in range(rows))
    return "".join(json.dumps({"prompt": ask, "completion": say}) + "\n" for ask, say in texts)


SCRIPTS = tuple(
    TwoForms(
        name,
        environment,
        "data-part-cut-off",
        SCRIPT.replace("READ\n", read).replace("MOST", str(most)),
        f"TOWNS False {most}",
        f"TOWNS True {most}",
        severity="warning",
        says=f"`select(range(0, {most}))` of {total} rows that were put together: no row of "
        "data set 2 is left",
        files=files,
    )
    for name, environment, read, most, total, files in (
        ("the first rows of two lists", "four", LISTS, 200, "300", {}),
        (
            "the first rows of two files",
            "current",
            FILES,
            1500,
            "2,500",
            {
                "sums.jsonl": _lines("What is {} plus one?", " It is more.", 2000),
                "towns.jsonl": _lines("Where is town {}?", " At mile {}.", 500),
            },
        ),
    )
)
