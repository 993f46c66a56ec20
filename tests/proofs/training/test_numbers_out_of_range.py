"""Numbers with which a run ends well and has learnt nothing, or the opposite."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from commands import checks, ran
from laid import Interpreter
from reports.report import COMPLETIONS, LENGTH, PREFERENCES, PROMPTS, REWARD, Report, script

SHOWS = """\
before = [weights.detach().clone() for weights in trainer.model.parameters()]
trainer.train()
moved = sum(float((now.detach() - then).abs().sum())
            for now, then in zip(trainer.model.parameters(), before))
margins = [entry["rewards/margins"] for entry in trainer.state.log_history
           if "rewards/margins" in entry]
import json
print("SHOWN", json.dumps([moved, margins[-1:]]))
"""
STEPS = {"max_steps": None, "num_train_epochs": 2, "learning_rate": 1e-3, "logging_steps": 1}


class Case(NamedTuple):
    """A trainer, an argument with a wrong and a right value, and what is beside it."""

    rule: str
    trainer: str
    rows: str
    key: str
    wrong: Any
    right: Any
    beside: Mapping[str, Any] = {}


CASES = (
    Case("argument-out-of-range", "SFT", COMPLETIONS, "learning_rate", 0.0, 1e-3),
    Case("argument-out-of-range", "GRPO", PROMPTS, "reward_weights", [0.0], [1.0]),
    Case("argument-out-of-range", "DPO", PREFERENCES, "loss_weights", [0.0, 0.0], [1.0, 0.1],
         {"loss_type": ["sigmoid", "sft"]}),
    Case("argument-out-of-range", "DPO", PREFERENCES, "discopop_tau", 0.05, 0.3,
         {"loss_type": "discopop"}),
    Case("argument-beta-zero", "DPO", PREFERENCES, "beta", -0.1, 0.1),
    Case("run-takes-no-step", "SFT", COMPLETIONS, "gradient_accumulation_steps", -1, 1),
    Case("run-takes-no-step", "SFT", COMPLETIONS, "max_steps", 0, 2),
)  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.trainer}-{case.key}")
def test_a_number_stops_the_training_or_turns_it_around(
    case: Case, tmp_path: Path, interpreter: Interpreter
) -> None:
    python, shown = interpreter("current"), []
    for value in (case.wrong, case.right):
        arguments = {**STEPS, **case.beside, case.key: value}
        grouped = case.trainer == "GRPO"
        text = script(case.trainer, arguments, REWARD if grouped else {},
                      before=LENGTH if grouped else "", after=SHOWS)  # fmt: skip
        folder = tmp_path / ("right" if shown else "wrong")
        files = {"train.py": text, "rows.jsonl": case.rows}
        file = Report("", "", "", "", files, {}).lay(folder, healthy=True, python=python)
        findings = checks(file, python, "--level", "files", statuses=(0, 1))[case.rule]["findings"]
        process = ran(python, "train.py", cwd=folder)
        assert process.returncode == 0, process.stderr[-2000:]
        moved, margins = json.loads(process.stdout.partition("SHOWN ")[2])
        shown.append(([finding["severity"] for finding in findings], moved, margins))
    (severities, moved, margins), (none, moves, gained) = shown
    loss = case.key == "discopop_tau"
    assert (severities, none) == (["warning" if loss else "error"], [])
    assert moves > 0
    if loss:
        assert margins[0] < 0 < gained[0]
    elif case.key == "beta":
        assert margins[0] > 0  # multiplied by beta: in the log the wrong run looks like the other
        assert gained[0] > 0
    else:
        assert moved == 0
