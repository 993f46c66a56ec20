"""Ten mistakes, each in a script: a rehearsal finds them at their line; corrected, they pass."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from commands import command_alone
from laid import ROOT, Interpreter
from rehearsed import MISTAKES, SFT, Mistake
from rehearsing import findings_by_rule, measured, rehearsal
from small_hub import SmallHub

from trl_doctor.checkup.gather import gathered
from trl_doctor.checkup.session import Session
from trl_doctor.checkup.verdict import verdict
from trl_doctor.rehearsing.command.command import command
from trl_doctor.rehearsing.rehearse import Rehearsal, rehearse
from trl_doctor.rehearsing.scale import Scale

EARLY = 'import sys\nassert "trl" in sys.modules, "the libraries are not imported yet"\n'
"""What a script begins with that is run by a process which has imported the libraries."""

BY_THE_COMMAND = {case.environment: case for case in reversed(MISTAKES)}
"""The first mistake of each environment."""

ENDS = ("grpo-first", "current")
"""The whole command finds one in processes of its own, with the oldest release and the newest."""


def rehearsed_again(folder: Path, case: Mistake, session: Session, script: str) -> Rehearsal:
    """A rehearsal as `--watch` does it: in a process that has the libraries already."""
    (folder / "models").symlink_to(ROOT / "fixtures/models")
    (folder / "train.py").write_text(script)
    scale = Scale(int(case.words[1]) if case.words else None, turn=0)
    return rehearse(
        command(["train.py"], session.environment.python), scale,
        session.probes, session.environment, session.rules, session.options,
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("case", MISTAKES, ids=lambda case: case.name)
def test_a_mistake_is_found_at_its_line(
    case: Mistake,
    interpreter: Interpreter,
    sessions: Callable[[Path], Session],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    session = sessions(interpreter(case.environment))
    result = rehearsed_again(tmp_path, case, session, case.broken)
    judgement = verdict(result.checkup, "error")
    assert judgement.word == "failed"
    by_rule = {check.rule: check.entries for check in gathered(result.checkup, judgement).checks}
    assert by_rule[case.rule], (by_rule, result.failure)
    assert ("train.py", case.line) in [
        (Path(e.at.file).name, e.at.line) for e in by_rule[case.rule]
    ]


@pytest.mark.slow
@pytest.mark.parametrize("environment", ENDS)
def test_the_command_finds_a_mistake_at_its_line(
    environment: str, interpreter: Interpreter, tmp_path: Path
) -> None:
    case = BY_THE_COMMAND[environment]
    (tmp_path / "models").symlink_to(ROOT / "fixtures/models")
    (tmp_path / "train.py").write_text(case.broken)
    status, report = rehearsal(
        tmp_path, interpreter(environment), *case.words, "train.py", run=command_alone
    )
    by_rule = findings_by_rule(report)
    assert status == 1
    assert case.rule in by_rule, by_rule
    places = [(Path(finding["file"]).name, finding["line"]) for finding in by_rule[case.rule]]
    assert ("train.py", case.line) in places


@pytest.mark.slow
@pytest.mark.parametrize("case", MISTAKES, ids=lambda case: case.name)
def test_the_corrected_script_passes(
    case: Mistake,
    interpreter: Interpreter,
    sessions: Callable[[Path], Session],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    session = sessions(interpreter(case.environment))
    result = rehearsed_again(tmp_path, case, session, EARLY + case.repaired)
    assert (result.failure, result.events.reached) == (None, "end")
    assert verdict(result.checkup, "error").word == "passed"


@pytest.mark.slow
def test_a_watched_script_is_rehearsed_again_when_it_changes(
    interpreter: Interpreter, tmp_path: Path
) -> None:
    (case,) = (mistake for mistake in MISTAKES if mistake.name == "tokens-not-resized")
    (tmp_path / "models").symlink_to(ROOT / "fixtures/models")
    (tmp_path / "train.py").write_text(case.broken)
    words = ["--watch", "--quiet", "--python", str(interpreter("current")), "train.py"]
    process = subprocess.Popen(
        [sys.executable, "-m", "trl_doctor", "rehearse", *words],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    turns: list[list[str]] = [[]]
    try:
        for line in process.stdout or ():
            turns[-1].append(line)
            if "waiting for a change" not in line:
                continue
            if len(turns) == 2:
                process.send_signal(signal.SIGINT)
                break
            turns.append([])
            (tmp_path / "train.py").write_text(EARLY + case.repaired)
    finally:
        process.wait(60)
    assert f"train.py:{case.line}" in "".join(turns[0])
    assert "error" not in "".join(turns[1])
    assert process.returncode == 130


@pytest.mark.slow
def test_a_mistake_in_a_notebook_is_found_in_its_cell(
    interpreter: Interpreter, tmp_path: Path
) -> None:
    """Neither the model nor the data set is here; the reward function is wrong all the same."""
    cells = [
        "%pip install trl\nfrom datasets import load_dataset\nfrom trl import GRPOTrainer",
        "def half(completions, **_):\n    return [0.0] * (len(completions) // 2)",
        "data = load_dataset('org/data', split='train')\ndisplay(data)",
        "trainer = GRPOTrainer('org/qwen2-model', half, train_dataset=data)\ntrainer.train()",
    ]
    code = [{"cell_type": "code", "source": text.splitlines(True)} for text in cells]
    text = json.dumps({"nbformat": 4, "cells": code})
    (tmp_path / "train.ipynb").write_text(text)
    status, report = rehearsal(tmp_path, interpreter("current"), "--offline", "train.ipynb")
    (finding,) = findings_by_rule(report)["reward-count-wrong"]
    assert (status, finding["line"], finding["column"]) == (1, 1, text.index("def half") + 1)
    assert [path.name for path in tmp_path.iterdir()] == ["train.ipynb"]


@pytest.mark.slow
def test_a_model_of_the_hub_has_its_own_small_files(
    interpreter: Interpreter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its vocabulary and template are its own, and nothing is generated."""
    script = SFT.replace("models/healthy", "org/model")
    (tmp_path / "run").mkdir()
    (tmp_path / "run/train.py").write_text(script)
    for name in ("HF_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.delenv("HF_HUB_CACHE", raising=False)
    for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"):
        monkeypatch.setenv(name, "0")
    with SmallHub() as server:
        monkeypatch.setenv("HF_ENDPOINT", server.address)
        server.add("org/model", ROOT / "fixtures/models/healthy")
        status, report = rehearsal(tmp_path / "run", interpreter("current"), "train.py")
    measures = measured(report)
    assert (status, measures["reached"], measures["made_up"]) == (0, "end", []), findings_by_rule(
        report
    )
    assert "320 tokens" in " ".join(report["targets"][0]["notes"])
