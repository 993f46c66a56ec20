"""Scripts for the examples of rules about what a script hands to its trainer."""

from typing import Any

LOCAL = "'json', data_files='rows.jsonl'"
"""The rows of a script that has them beside it."""


def script(
    trainer: str, given: str, config: str = "", before: str = "", rows: str = "'org/rows'"
) -> dict[str, Any]:
    """A script that makes a trainer: `given` to its class, `config` to its config's.

    `rows` are what it hands to `load_dataset`.
    """
    arguments = f"{trainer}Config('out', {config})"
    head = f"from trl import {trainer}Config, {trainer}Trainer\n"
    data = f"from datasets import load_dataset\nrows = load_dataset({rows}, split='train')\n"
    call = f"{trainer}Trainer(args={arguments}, train_dataset=rows, {given})\n"
    return {"train.py": f"{head}{data}{before}{call}"}


def notebook(*cells: str) -> dict[str, Any]:
    """A notebook with these cells of code."""
    code = [{"cell_type": "code", "source": cell, "outputs": []} for cell in cells]
    return {"train.ipynb": {"cells": code, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}}
