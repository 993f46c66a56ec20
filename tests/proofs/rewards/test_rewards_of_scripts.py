"""The reward functions of a script are called at level tiny, without the rest of the script."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from commands import ran, reports
from laid import ROOT, Interpreter

SCRIPT = """\
import re
from functools import partial

from datasets import load_dataset
from transformers import AutoTokenizer
from trl import GRPOConfig, GRPOTrainer

open("started", "w").close()
tokenizer = AutoTokenizer.from_pretrained("model")
PATTERN = re.compile(r"<answer>(.*?)</answer>")
POINTS = {"right": 2.0, "wrong": 0.0}


def text_of(completion):
    return completion[0]["content"]


def right(completions, answer, **kwargs):
    found = [PATTERN.search(text_of(c)) for c in completions]
    return [POINTS["right" if m and m[1].strip() == str(a) else "wrong"]
            for m, a in zip(found, answer)]


def number(completions, answer, **kwargs):
    given = [float(text_of(c).split("####")[1]) for c in completions]
    return [POINTS["right" if n == float(a) else "wrong"] for n, a in zip(given, answer)]


def there(completions, **kwargs):
    return [POINTS["right"] if completion else POINTS["wrong"] for completion in completions]


def short(completions, **kwargs):
    return [-len(tokenizer(text_of(c))["input_ids"]) / 100 for c in completions]


def paid(completions, by, **kwargs):
    return [by for _ in completions]


def asked(row):
    return {"prompt": [{"role": "user", "content": row["question"]}], "answer": row["result"]}


GRPOTrainer(
    model="model",
    reward_funcs=[FUNCTIONS],
    args=GRPOConfig(output_dir="out", max_steps=1, per_device_train_batch_size=2,
                    num_generations=2, max_completion_length=64, use_cpu=True, bf16=False,
                    report_to="none", save_strategy="no"),
    train_dataset=load_dataset("json", data_files="rows.jsonl", split="train").map(asked),
).train()
"""


def lay(folder: Path, functions: str) -> Path:
    """The script with these functions, a model, and rows."""
    shutil.copytree(ROOT / "fixtures/models/healthy", folder / "model")
    row = '{{"question": "What is {0} and {0}?", "result": "{1}"}}\n'
    (folder / "rows.jsonl").write_text("".join(row.format(n, 2 * n) for n in range(3, 11)))
    (folder / "train.py").write_text(SCRIPT.replace("FUNCTIONS", functions))
    return folder / "train.py"


@pytest.mark.slow
@pytest.mark.parametrize("environment", ["current", "four"])
def test_rewards_of_a_script_are_called(
    environment: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    """One that raises, and one that pays the same for all, are told at their lines."""
    python, targets = interpreter(environment), []
    for name in (
        "right",
        "right, number",
        "right, there",
        "right, short",
        "right, partial(paid, by=2)",
    ):
        (tmp_path / name).mkdir()
        targets.append(lay(tmp_path / name, name))
    process = ran(python, "train.py", cwd=targets[0].parent)
    assert process.returncode == 0, process.stderr[-2000:]
    (targets[0].parent / "started").unlink()
    told = []
    for report in reports(targets, python, "--level", "tiny"):
        checks = {check["rule"]: check for check in report["checks"]}
        told.append({rule for rule, check in checks.items() if check["findings"]} & set(RULES))
        assert "alone" not in (checks["reward-constant"]["reason"] or "")
    assert told == [set(), {"reward-raises"}, {"reward-constant"}, set(), {"reward-constant"}]
    assert not list(tmp_path.rglob("started"))  # the script itself was never run


RULES = ("reward-raises", "reward-constant", "reward-not-importable")
