"""What a rehearsal looks for again at the run's own sizes, and what only these sizes make true."""

from __future__ import annotations

import functools
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from trl_doctor.core.question import Answer, Question
from trl_doctor.probes.answers.rehearse import RehearseAnswer
from trl_doctor.probes.layout.argument_tables import SMALL
from trl_doctor.probes.rehearsal.rows import all_rows
from trl_doctor.probes.rehearsal.rows.origins import Step
from trl_doctor.probes.rehearsal.settings import cutting
from trl_doctor.probes.rehearsal.trainers import configs, full_batches, step, trainers
from trl_doctor.probes.rehearsal.trainers.mistakes import row_order
from trl_doctor.probes.rehearsal.trainers.reward_calls.reshaped import needs_own_shape
from trl_doctor.probes.rehearsal.trainers.short_rows import LONGEST, last_tokens
from trl_doctor.probes.rehearsal.writes import outputs
from trl_doctor.rehearsing.code_line import CodeLine
from trl_doctor.rehearsing.ending.failure import Failure
from trl_doctor.rehearsing.ending.own_checks import exit_reached_by_scale
from trl_doctor.rehearsing.events import Event, Events
from trl_doctor.rehearsing.scale import may_be_of_scale, says_less

TYPES = dict.fromkeys(
    ("per_device_train_batch_size", "gradient_accumulation_steps", "num_generations",
     "max_completion_length", "max_steps", "temperature", "steps_per_generation",
     "lr_scheduler_type", "logging_steps"), "int")  # fmt: skip


def _events(*events: Event) -> Events:
    answer = Answer(Question("rehearse", "it", {}, RehearseAnswer), "answered",
                    RehearseAnswer(1, False, 1, "here", ()))  # fmt: skip
    return Events(events, answer, Path("here"), Path("here"))


def test_a_wide_rehearsal_keeps_moderate_sizes() -> None:
    own = {"per_device_train_batch_size": 16, "num_generations": 8, "max_steps": 9,
           "max_completion_length": 4096}  # fmt: skip
    cuts = cutting.small(own, TYPES, "GRPOConfig", 2, 1, wide=True)
    assert {name: value for name, (value, _) in cuts.items()} == {
        "max_steps": 9, "max_completion_length": 256, "logging_steps": 1
    }  # fmt: skip
    large = {**own, "per_device_train_batch_size": 512, "max_steps": 1000}
    cuts = cutting.small(large, TYPES, "GRPOConfig", 2, 1, wide=True)
    assert (cuts["per_device_train_batch_size"][0], cuts["max_steps"][0]) == (4, 12)


@pytest.mark.parametrize(
    ("own", "kept"),
    [
        ({"per_device_train_batch_size": 8, "num_mini_batches": 4, "total_episodes": 20}, (20, 4)),
        ({"per_device_train_batch_size": 8, "total_episodes": 9000, "num_ppo_epochs": 1}, (96, 1)),
        ({}, (16, 4)),
    ],
)
def test_a_wide_rehearsal_of_ppo_keeps_its_batches(own: Any, kept: tuple[int, int]) -> None:
    types = dict.fromkeys(
        ("per_device_train_batch_size", "num_mini_batches", "total_episodes", "num_ppo_epochs",
         "gradient_accumulation_steps", "local_rollout_forward_batch_size"), "int")  # fmt: skip
    cuts = cutting.small(own, types, "PPOConfig", 2, 1, wide=True)
    assert {name: value for name, (value, _) in cuts.items()} == {
        "total_episodes": kept[0], "num_ppo_epochs": kept[1]
    }  # fmt: skip


def test_workers_that_persist_are_left_where_there_are_none() -> None:
    types = dict.fromkeys(("dataloader_persistent_workers", "dataloader_num_workers"), "int")
    name = "dataloader_persistent_workers"
    assert name not in cutting.small({name: True}, types, "SFTConfig", 2, 1)
    own = {name: True, "dataloader_num_workers": 2}
    assert name in cutting.small(own, types, "SFTConfig", 2, 1)


@pytest.mark.parametrize(
    ("again", "before", "less"),
    [
        (Failure("machine", "time", kind="late"), Failure("script", "it"), True),
        (Failure("machine", "a check", kind="shortened"), Failure("script", "it"), False),
        (Failure("machine", "time", kind="late"), Failure("machine", "a GPU"), False),
        (None, Failure("script", "it"), False),
    ],
)
def test_which_of_two_rehearsals_counts(
    again: Failure | None, before: Failure | None, less: bool
) -> None:
    assert says_less(again, before) == less


@pytest.mark.parametrize(
    ("steps", "rows"),
    [
        ((), 400),
        ((Step("shuffle(seed=1)"), Step("select(range(0, 90))", rows=range(90))), 90),
        ((Step("select(range(0, 500))", rows=range(500)),), 0),
        ((Step("train_test_split([None, None], 0, None)", part="test"),), 100),
        ((Step("train_test_split([0.1, None], 0, None)", part="train"),), 360),
        ((Step("train_test_split([None, None, 30], 0, None)", part="train"),), 30),
        ((Step("train_test_split([50, None, None], 0, None)", part="test"),), 50),
        ((Step("", 3),), 0),
    ],
)
def test_how_many_rows_the_job_has(steps: tuple[Step, ...], rows: int) -> None:
    assert functools.reduce(all_rows.after, steps, 400) == rows


@pytest.mark.parametrize(
    ("kinds", "error", "errors", "again"),
    [
        (("short",), "", {"data-rows-all-alike"}, True),
        (("short",), "", set(), False),
        ((), "", {"data-rows-all-alike"}, False),
        (("changed",), "", {"step-raises"}, True),
        ((), "", {"step-raises"}, False),
        (("short",), "AssertionError", {"script-fails"}, True),
        (("short",), "NameError", {"script-fails"}, False),
    ],
)
def test_which_errors_are_looked_for_again(
    kinds: tuple[str, ...], error: str, errors: set[str], again: bool
) -> None:
    begun = {"rank": 0, "time": 1.0, "at": None, "why": SMALL}
    events: list[Event] = [{"kind": kind, **begun} for kind in kinds]
    if error:
        events.append({"kind": "failed", "stage": "script", "type": error, "message": "", **begun})
    record = _events(*events)
    ended = Failure("script", error) if error else None
    assert may_be_of_scale(record, ended, errors) == again
    assert not may_be_of_scale(record, Failure("machine", "no GPU"), errors)


@pytest.mark.parametrize(
    ("check", "needs"),
    [
        (lambda given: len(given["completions"]) % 4 == 0, True),
        (lambda given: len(set(given["prompts"][:4])) == 1, True),
        (lambda given: True, False),
    ],
)
def test_a_reward_function_that_divides_its_call_into_groups(check: Any, needs: bool) -> None:
    def reward(**given: Any) -> list[float]:
        assert check(given)
        return [0.0] * len(given["completions"])

    given = {"prompts": ["a"] * 4 + ["b"] * 4, "completions": list("abcdefgh"), "state": None}
    assert needs_own_shape(reward, given, 8) == needs
    assert not needs_own_shape(reward, {}, 8)


@pytest.mark.parametrize(
    ("rows", "whole", "own", "full"),
    [
        (400, True, {}, True),
        (400, False, {}, False),
        (401, True, {}, False),
        (401, True, {"max_steps": 50}, True),
        (401, True, {"max_steps": 60}, False),
        (64, False, {"max_steps": 4, "gradient_accumulation_steps": 2}, True),
    ],
)
def test_whether_every_batch_is_full(rows: int, whole: bool, own: Any, full: bool) -> None:
    trainer = SimpleNamespace(train_dataset=range(rows), args=SimpleNamespace(**{configs.OWN: own}))
    assert full_batches.last_batch(trainer) is None
    full_batches.count(trainer, rows if whole else None)
    assert (full_batches.last_batch(trainer) == 0) == full


def test_how_many_rows_the_last_batch_has() -> None:
    trainer = SimpleNamespace(train_dataset=range(64), args=SimpleNamespace(**{configs.OWN: {}}))
    full_batches.count(trainer, 403)
    assert full_batches.last_batch(trainer) == 3


def test_a_packed_row_keeps_its_last_rows_as_a_whole() -> None:
    row = {"input_ids": list(range(1500)), "labels": [1] * 1500, "seq_lengths": [700, 300, 500]}
    short = last_tokens(row)
    assert short["seq_lengths"] == [300, 500]
    assert short["input_ids"] == list(range(700, 1500)) and len(short["labels"]) == 800
    one = last_tokens({"input_ids": [1] * 3000, "seq_lengths": [3000]})
    assert one == {"input_ids": [1] * LONGEST, "seq_lengths": [LONGEST]}
    assert last_tokens({"input_ids": [1] * 30, "seq_lengths": [10, 20]}) == {}


@pytest.mark.parametrize(
    ("script", "keywords", "numbers"),
    [
        ('f"out/checkpoint-{n}"', {"save_steps": 4, "max_steps": 10}, {4, 8, 10}),
        ('f"out/checkpoint-{n}"', {"save_steps": 4, "max_steps": 10, "save_total_limit": 1}, {10}),
        ('f"out/checkpoint-{n}"', {"save_steps": 4}, set()),
        ('f"out/checkpoint-{n}"', {"save_strategy": "epoch", "max_steps": 9}, set()),
        ('glob("out/checkpoint-*")', {"save_steps": 4, "max_steps": 10}, {4, 8, 10}),
        ('"out/checkpoint-4"', {"save_steps": 4, "max_steps": 10}, set()),
    ],
)
def test_checkpoints_whose_names_the_script_makes_of_numbers(
    script: str, keywords: Any, numbers: set[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outputs, "_script", lambda: script)
    assert outputs._numbered(keywords) == {f"checkpoint-{number}" for number in numbers}


def test_each_note_on_a_trainer_has_a_name_of_its_own() -> None:
    kept = (full_batches.COUNTED, row_order.ROWS, row_order.SORTED, step.TOKENS, trainers.NUMBER)
    assert len(set(kept)) == len(kept)


def test_a_script_that_this_python_cannot_parse_has_no_check_of_its_own(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text("rows = = load()\nassert len(rows) > 5000\n")
    assert exit_reached_by_scale(_events(), CodeLine(script, 2)) == ""
