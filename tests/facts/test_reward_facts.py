"""Reward functions of a run: which it names, how many completions they get, one in a line."""

from __future__ import annotations

import ast
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from packaging.version import Version

from trl_doctor.asking.oracle import NoOracle
from trl_doctor.checkup.opening import Options, open_run
from trl_doctor.core.finding import Place
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.functions.signatures import signature
from trl_doctor.facts.measured.rewards import Reward, completions
from trl_doctor.facts.rewards.names import named
from trl_doctor.files.target import target
from trl_doctor.machine.environment import Environment
from trl_doctor.probes.answers.rewards import RewardTrial


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        ({"reward_funcs": ["a.b", "c"]}, ("a.b", "c")),
        ({"reward_funcs": "a.b"}, ("a.b",)),
        ({"reward_funcs": [1]}, Unavailable),
        ({"reward_funcs": []}, NotConcerned),
        ({"reward_model_name_or_path": "reward"}, NotConcerned),
        ({"trainer": "sft", "reward_funcs": ["a.b"]}, NotConcerned),
    ],
)
def test_which_functions_a_run_names(tmp_path: Path, run: dict[str, Any], expected: Any) -> None:
    run_facts = facts(tmp_path, run)
    if isinstance(expected, tuple):
        assert named(run_facts) == expected
        return
    with pytest.raises(Unavailable) as reason:
        named(run_facts)
    assert type(reason.value) is expected


@pytest.mark.parametrize(
    ("run", "count"),
    [
        ({}, 8),
        ({"per_device_train_batch_size": 4, "gradient_accumulation_steps": 3}, 12),
        ({"per_device_train_batch_size": 4, "steps_per_generation": 2}, 8),
        ({"generation_batch_size": 64, "num_processes": 4}, 16),
        ({"per_device_train_batch_size": "many"}, 8),
    ],
)
def test_how_many_completions_come_at_once(tmp_path: Path, run: dict[str, Any], count: int) -> None:
    assert completions(facts(tmp_path, run)) == count


def test_a_function_in_one_line() -> None:
    values = ((0, "gold: alone", 0.0), (0, "gold: boxed", 1.0), (0, "garbage", 0.0))
    trial = RewardTrial(
        "mine.exact", "returned", expected=8, returned=8, values=values, seconds=0.0002
    )
    reward = Reward(0, trial, trial.name)
    assert reward.line == "mine.exact: gold 1, garbage 0, 0.2 ms a completion"
    assert Reward(0, RewardTrial("mine.exact", "raised"), "mine.exact").line == "mine.exact: raised"
    miscounts = Reward(0, replace(trial, returned=1), trial.name)
    assert miscounts.line == "mine.exact: gives 1 reward for 8 completions"


def facts(folder: Path, run: dict[str, Any]) -> Facts:
    """The facts of a run file, without an oracle."""
    (folder / "run.json").write_text(json.dumps({"trainer": "grpo", **run}))
    world = Environment(Path("python"), (), {"trl": Version("1.16.0")})
    opened = open_run(target(str(folder / "run.json"), offline=True), world, Options(offline=True))
    return Facts(opened, world, NoOracle("nobody"))


@pytest.mark.parametrize(
    ("body", "gives"),
    [
        ("return [None for _ in completions]", True),
        ("return [1.0 if one else None for one in completions]", True),
        ("found = []\n    found.append(None)\n    return found", True),
        ("found = []\n    other = [None]\n    other.append(None)\n    return found", False),
        ("return [0.0 for one in completions if one is not None]", False),
    ],
)
def test_a_function_that_gives_none(body: str, gives: bool) -> None:
    node = ast.parse(f"def score(completions):\n    {body}\n").body[0]
    assert isinstance(node, ast.FunctionDef)
    assert signature(node, "score", Place(Path())).gives_none is gives
