"""Rows for the examples of rules about the texts of rows."""

import json

from trl_doctor.core.finding import Json

SFT: dict[str, Json] = {"trainer": "sft", "dataset_name": "rows.jsonl"}


def asking(text: str, count: int = 2) -> dict[str, Json]:
    """An SFT run with so many rows, in each of which the user says this."""
    row = {"prompt": [{"role": "user", "content": text}], "completion": "So."}
    return {"run.json": SFT, "rows.jsonl": (json.dumps(row) + "\n") * count}
