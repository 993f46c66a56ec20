"""The rows are examined as a script gives them to its trainer, where no file shows them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from laid import ROOT, Interpreter
from rehearsed import SFT

from trl_doctor.checkup.causes import reported
from trl_doctor.checkup.session import Session
from trl_doctor.rehearsing.command.command import command
from trl_doctor.rehearsing.rehearse import rehearse
from trl_doctor.rehearsing.scale import Scale

ROWS = 'rows = Dataset.from_dict({"messages": [talk] * 50})\n'
MADE = f"""{ROWS}


def shared(row):
    named = [{{"from": turn["role"], "value": turn["content"]}} for turn in row["messages"]]
    return {{"messages": named}}


"""
CASES = {
    "data-messages-lack-role": (
        f"{MADE}rows = rows.map(shared, remove_columns=rows.column_names)\n",
        "row 1 of train_dataset: a message in messages has from, value, where the trainer reads",
    ),
    "data-cell-of-wrong-type": (
        f'{ROWS}rows = rows.map(lambda row: {{"text": None}}, remove_columns=["messages"])\n',
        "row 1 of train_dataset has null in text, where the trainer reads text",
    ),
    "run-takes-no-step": (
        f'{ROWS}rows = rows.filter(lambda row: len(row["messages"]) > 2)\n',
        "train_dataset has no rows when training starts",
    ),
    "evaluation-without-data": (
        f'{ROWS}tests = {{"train": rows}}.get("test")\n',
        "eval_strategy is steps, but the trainer gets no eval_dataset",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("rule", CASES)
def test_rows_are_examined_as_the_trainer_gets_them(
    rule: str,
    interpreter: Interpreter,
    sessions: Callable[[Path], Session],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lines, says = CASES[rule]
    script = SFT.replace(ROWS, lines)
    if rule == "evaluation-without-data":
        script = script.replace("bf16=False,", 'bf16=False,\n    eval_strategy="steps",')
        script = script.replace("train_dataset=rows,", "train_dataset=rows, eval_dataset=tests,")
    monkeypatch.chdir(tmp_path)
    Path("models").symlink_to(ROOT / "fixtures/models")
    Path("train.py").write_text(script)
    session = sessions(interpreter("current"))
    result = rehearse(
        command(["train.py"], session.environment.python), Scale(turn=0),
        session.probes, session.environment, session.rules, session.options,
    )  # fmt: skip
    errors = [finding for finding in reported(result.checkup.outcomes)
              if finding.severity == "error" and not finding.cause]  # fmt: skip
    assert [finding.outcome.rule.name for finding in errors] == [rule]
    assert errors[0].finding.message.startswith(says)
    assert errors[0].finding.place.file.name == "train.py"
