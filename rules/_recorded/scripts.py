"""Scripts for the examples of rules about what a script hands to its trainer."""

from typing import Any


def script(trainer: str, given: str, config: str = "", before: str = "") -> dict[str, Any]:
    """A script that makes a trainer: `given` to its class, `config` to its config's."""
    made = f"{trainer}Config('out', {config})"
    head = f"from trl import {trainer}Config, {trainer}Trainer\n"
    rows = "from datasets import load_dataset\nrows = load_dataset('org/rows', split='train')\n"
    call = f"{trainer}Trainer(args={made}, train_dataset=rows, {given})\n"
    return {"train.py": f"{head}{rows}{before}{call}"}
