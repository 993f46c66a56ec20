"""What of a rehearsed command becomes the run that the rules examine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from trl_doctor.core.question import Answer, Question
from trl_doctor.probes.answers.rehearse import RehearseAnswer
from trl_doctor.probes.layout import pictures
from trl_doctor.probes.layout.unknown_images import either
from trl_doctor.probes.refusal import Refused
from trl_doctor.rehearsing.events import Events
from trl_doctor.rehearsing.run_file import written

RANK = {"rank": 0, "time": 1.0}
MODEL = {"kind": "model", "name": "org/m", "origin": "folder", "source": "m", "small": "/s", **RANK}
LOADED = {"kind": "loaded", "name": "org/m", **RANK}
TRAINING = {"kind": "training", "resume": None, **RANK}


def run(tmp_path: Path, *more: dict[str, Any], made: str | None = None) -> dict[str, Any]:
    """The run file of a script with a trainer."""
    given = {"resume_from_checkpoint": "out/checkpoint-2"}
    config = {"kind": "config", "name": "SFTConfig", "given": given, **RANK}
    built = {
        "kind": "trainer", "name": "SFTTrainer", "models": {"policy": "org/m"}, "processes": 1,
        "parameters": [], "conversational": None, "dtype": "", "adapter": None, "sample": "",
        "changes": {}, "tokenizer": "", "made": made, **RANK,
    }  # fmt: skip
    answer = Answer(Question("rehearse", "it", {}, RehearseAnswer), "answered",
                    RehearseAnswer(0, False, 1, str(tmp_path), ()))  # fmt: skip
    events = Events((config, MODEL, built, *more), answer, tmp_path, tmp_path)
    return dict(json.loads(written(events, tmp_path, None).run.read_text()))


def test_a_model_is_named_where_the_script_loads_its_weights(tmp_path: Path) -> None:
    assert run(tmp_path, LOADED)["model_name_or_path"] == "org/m"


def test_a_model_that_is_made_from_a_config_needs_no_weights(tmp_path: Path) -> None:
    assert "model_name_or_path" not in run(tmp_path)


def test_a_model_that_is_made_from_a_config_is_examined_by_what_was_written(tmp_path: Path) -> None:
    made = tmp_path / "made"
    made.mkdir()
    (made / "config.json").write_text('{"model_type": "gpt2"}')
    folder = Path(run(tmp_path, made=str(made))["model_name_or_path"])
    assert json.loads((folder / "config.json").read_text()) == {"model_type": "gpt2"}


@pytest.mark.parametrize("trainings, named", [(1, True), (2, False)])
def test_a_second_training_may_resume_from_what_the_first_has_saved(
    tmp_path: Path, trainings: int, named: bool
) -> None:
    training = {**TRAINING, "resume": "out/checkpoint-2"}
    result = run(tmp_path, LOADED, *[training] * trainings)
    assert ("resume_from_checkpoint" in result) is named


def test_trainers_do_not_read_the_checkpoint_of_their_config(tmp_path: Path) -> None:
    assert "resume_from_checkpoint" not in run(tmp_path, LOADED, TRAINING)


@pytest.mark.parametrize("asked, counted", [(None, 1), (4, 4)])
def test_a_config_counts_the_processes_where_no_trainer_was_built(
    tmp_path: Path, asked: int | None, counted: int
) -> None:
    config = {"kind": "config", "name": "GRPOConfig", "given": {}, "processes": 1, **RANK}
    answer = Answer(Question("rehearse", "it", {}, RehearseAnswer), "answered",
                    RehearseAnswer(1, False, 1, str(tmp_path), ()))  # fmt: skip
    file = written(Events((config,), answer, tmp_path, tmp_path), tmp_path, asked).run
    assert json.loads(file.read_text())["num_processes"] == counted


REQUEST: dict[str, Any] = {"data": {"files": [], "conversational": None}, "folders": {"policy": ""}}


def test_an_error_from_generated_images_is_a_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "sees", lambda folder: True)
    monkeypatch.setattr(pictures, "cleared", lambda: None)
    monkeypatch.setattr(pictures, "made_here", lambda: False)

    def step(request: dict[str, Any]) -> str:
        if not request["data"]["conversational"]:
            raise KeyError("images")
        return "a step"

    with pytest.raises(Refused, match="whether the run's rows have images is not known"):
        either(REQUEST, step)


def test_an_error_of_both_is_the_run_s_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "sees", lambda folder: True)
    monkeypatch.setattr(pictures, "cleared", lambda: None)
    monkeypatch.setattr(pictures, "made_here", lambda: False)

    def step(request: dict[str, Any]) -> str:
        raise ValueError("beta")

    with pytest.raises(ValueError, match="beta"):
        either(REQUEST, step)
