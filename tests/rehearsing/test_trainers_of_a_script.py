"""The events of a script with several trainers, by the trainer that they are about."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from trl_doctor.core.finding import Place
from trl_doctor.core.question import Answer, Question
from trl_doctor.probes.answers.rehearse import RehearseAnswer
from trl_doctor.probes.rehearsal.record import MOST_TRAINERS
from trl_doctor.rehearsing.answer import kept_away
from trl_doctor.rehearsing.by_trainer import caught, examined, label, parts
from trl_doctor.rehearsing.ending.blame import failure
from trl_doctor.rehearsing.events import Event, Events
from trl_doctor.rehearsing.places import Lines
from trl_doctor.rehearsing.run_file import Written

FAILED = {"stage": "train", "type": "ValueError", "message": "no", "frames": [], "at": None,
          "file": None, "line": None}  # fmt: skip


def told(folder: Path, *events: tuple[str, int, dict[str, Any]], status: int = 0) -> Events:
    """Events as one process tells them, each a second after the one before."""
    answer = Answer(Question("rehearse", "it", {}, RehearseAnswer), "answered",
                    RehearseAnswer(status, False, 1, str(folder), ()))  # fmt: skip
    lines: list[Event] = [
        {"kind": kind, "of": of, "rank": 0, "process": 7, "time": float(number), **about}
        for number, (kind, of, about) in enumerate(events)
    ]
    return Events(tuple(lines), answer, folder, folder)


def config(number: int) -> tuple[str, int, dict[str, Any]]:
    return "config", 0, {"name": f"Config{number}", "number": number, "given": {}, "at": None}


def trainer(number: int, **about: Any) -> list[tuple[str, int, dict[str, Any]]]:
    """A trainer that is built and trained."""
    built = {"name": f"Trainer{number}", "at": ["train.py", number], "config": number,
             "tokenizer_object": number, **about}  # fmt: skip
    return [("trainer", number, built), ("built", number, {}), ("training", number, {}),
            ("step", number, {"done": True, "steps": 2})]  # fmt: skip


def test_each_trainer_has_its_own_config_and_steps(tmp_path: Path) -> None:
    started = ("started", 0, {"confined": True})
    events = told(tmp_path, started, config(1), config(2), *trainer(1), *trainer(2))
    first, second = parts(events)
    for number, part in enumerate((first, second), 1):
        assert [event["number"] for event in part.of("config")] == [number]
        assert [event["of"] for event in part.of("trainer", "step")] == [number, number]
        assert (part.reached, failure(part)) == ("end", None)
    assert label(second) == "Trainer2 at train.py:2"


def test_what_happens_later_is_not_about_a_trainer(tmp_path: Path) -> None:
    rows: dict[str, Any] = {"name": "rows", "origin": "made"}
    edit = {"edit": "pad_token", "object": 2}
    events = told(tmp_path, ("model", 0, {"name": "m"}), *trainer(1), ("data", 0, rows),
                  ("tokenizer", 0, edit), ("mistake", 0, {"what": "mixed rows"}), *trainer(2),
                  ("kept", 0, {}))  # fmt: skip
    first, second = parts(events)
    assert [event["kind"] for event in first.events] == ["model", "trainer", "built", "training",
                                                         "step", "kept"]  # fmt: skip
    assert [event["kind"] for event in second.events][:4] == ["model", "data", "tokenizer",
                                                              "mistake"]  # fmt: skip


def test_the_nearest_line_that_loads_a_model_counts(tmp_path: Path) -> None:
    def loaded(line: int, origin: str = "/small") -> tuple[str, int, dict[str, Any]]:
        return "loaded", 0, {"name": "m", "origin": origin, "at": ["train.py", line]}

    events = told(tmp_path, loaded(3), loaded(4, "/other"), *trainer(1), loaded(9), *trainer(2))
    first, second = ([event["at"][1] for event in part.of("loaded")] for part in parts(events))
    assert (first, second) == ([3, 4], [4, 9])


def test_the_command_fails_with_one_trainer_only(tmp_path: Path) -> None:
    failing = [("trainer", 2, {"name": "T", "at": None, "config": 2}), ("training", 2, {}),
               ("failed", 2, FAILED)]  # fmt: skip
    first, second = parts(told(tmp_path, *trainer(1), *failing, status=1))
    assert (first.status, first.failure, first.reached) == (0, None, "end")
    ended = failure(second)
    assert ended is not None and (ended.whose, second.status) == ("candidate", 1)


def test_an_error_that_the_script_catches_is_its_trainers(tmp_path: Path) -> None:
    failing = [event for event in trainer(1) if event[0] != "step"]
    failed = ("failed", 1, FAILED)
    unfinished = ("step", 1, {"done": False})
    finished = ("step", 1, {"done": True, "steps": 2})
    first, second = parts(told(tmp_path, *failing, unfinished, failed, *trainer(2)))
    assert (caught(first), caught(second)) == ("ValueError: no", "")
    first, _ = parts(told(tmp_path, *failing, unfinished, failed, finished, *trainer(2)))
    assert caught(first) == ""


def test_arguments_that_are_refused_are_a_trainer_to_be(tmp_path: Path) -> None:
    refused = ("failed", 0, {**FAILED, "stage": "config"})
    first, second = parts(told(tmp_path, config(1), *trainer(1), config(2), refused, status=1))
    assert (first.reached, label(second)) == ("end", "Config2")
    assert [event["number"] for event in second.of("config")] == [2]
    assert second.failure is not None


def test_arguments_that_a_later_command_refuses_are_not_the_last_trainers(tmp_path: Path) -> None:
    refused = ("failed", 0, {**FAILED, "stage": "config"})
    later = [("config", 0, {**config(1)[2], "name": "Config2", "process": 8}),
             ("failed", 0, {**refused[2], "process": 8})]  # fmt: skip
    first, second = parts(told(tmp_path, config(1), *trainer(1), *later, status=1))
    assert [event["name"] for event in first.of("config")] == ["Config1"]
    assert [event["name"] for event in second.of("config")] == ["Config2"]


def test_a_trainer_that_only_evaluates_is_none(tmp_path: Path) -> None:
    only = [event for event in trainer(2) if event[0] not in ("training", "step")]
    (part,) = parts(told(tmp_path, *trainer(1), *only))
    assert label(part) == "Trainer1 at train.py:1"


def test_one_trainer_is_as_it_was(tmp_path: Path) -> None:
    events = told(tmp_path, config(1), *trainer(1))
    assert parts(events) == (events,)


@pytest.mark.parametrize("status", [0, 1])
def test_some_of_many_are_examined(tmp_path: Path, status: int) -> None:
    count = MOST_TRAINERS + 4
    every = [event for number in range(1, count + 1) for event in trainer(number)]
    ending = [("failed", count, FAILED)] if status else []
    chosen = examined(parts(told(tmp_path, *every, *ending, status=status)))
    assert len(chosen) == MOST_TRAINERS
    assert chosen[-1].number == (count - 1 if status else MOST_TRAINERS - 1)


def test_two_commands_in_turn_are_two_trainers(tmp_path: Path) -> None:
    events = told(tmp_path, *trainer(1), *trainer(1))
    half = len(events.events) // 2
    second = tuple({**event, "process": 8} for event in events.events[half:])
    split = parts(told(tmp_path).__class__(
        (*events.events[:half], *second), events.answer, tmp_path, tmp_path))  # fmt: skip
    assert [{event["process"] for event in part.events} for part in split] == [{7}, {8}]


def test_an_upload_without_a_name_has_its_line_only(tmp_path: Path) -> None:
    away = {"what": "upload", "name": "", "at": ["train.py", 9]}
    events = told(tmp_path, ("kept away", 1, away), *trainer(1))
    assert list(kept_away(events)) == ["an upload at train.py:9"]


@pytest.mark.parametrize(("value", "line"), [(None, 3), ({"dtype": "bfloat16"}, 7)])
def test_a_dtype_is_at_the_line_that_loads_the_model(value: Any, line: int, tmp_path: Path) -> None:
    given = {"model_init_kwargs": value}
    model = {"name": "m", "origin": "/small", "at": ["train.py", 3]}
    made = ("config", 0, {"name": "C", "given": given, "at": ["train.py", 7]})
    events = told(tmp_path, ("model", 0, model), ("loaded", 0, model), made, *trainer(1))
    written = Written(tmp_path / "run.json", {"policy": events.of("model")[0]}, frozenset())
    at = Lines(events, None, written, tmp_path / "train.py")._argument("model_init_kwargs")
    assert at is not None and at.line == line


def test_a_finding_about_a_reward_function_is_at_its_definition(tmp_path: Path) -> None:
    rewards: list[tuple[str, int, dict[str, Any]]] = [
        ("reward", 1, {"index": at, "file": "train.py", "line": 5 * at + 5, "state": "returned",
                       "returned": 2, "expected": 2})
        for at in (0, 1)
    ]  # fmt: skip
    events = told(tmp_path, *rewards, *trainer(1))
    lines = Lines(events, None, Written(tmp_path / "run.json", {}, frozenset()), tmp_path)
    found = [lines._line(Place(tmp_path / "run.json", f"/reward_funcs{at}")) for at in ("", "/1")]
    assert [at and at.line for at in found] == [5, 10]
