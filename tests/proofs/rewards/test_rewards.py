"""Reward functions that end a real run, or teach it nothing: the doctor names each of them."""

from __future__ import annotations

import json
import os
import shutil
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from commands import answered, checks, ran
from laid import ROOT, Interpreter

ENVIRONMENTS = ("current", "four", "grpo-shapes", "grpo-first")
RUN = {
    "trainer": "grpo",
    "model_name_or_path": "model",
    "dataset_name": "prompts.jsonl",
    "num_processes": 1,
    "per_device_train_batch_size": 4,
    "num_generations": 4,
    "max_completion_length": 8,
    "bf16": False,
}
RAISES = {
    "signature": "unexpected keyword argument",
    "column": "missing 1 required positional argument: 'answer'",
    "strings": "too many dimensions 'str'",
    "unmatched": "'NoneType' object has no attribute 'group'",
    "messages_as_text": "'list' object has no attribute 'strip'",
}
DIES = "probability tensor contains either `inf`, `nan` or element < 0"
FROM_SOURCE = {"single": ("reward-one-for-all",)}
"""What the source alone tells besides; a report puts both under one finding."""

STILL = None
"""The run ends in good order, and no weight has moved."""


def expected(environment: str) -> dict[str, tuple[str, str | None]]:
    """What becomes of each function: the doctor's rule, and the real run's error or `STILL`."""
    counts, first = environment == "current", environment == "grpo-first"
    expected_size = "returned {} rewards, but 4 were expected"
    short = expected_size.format(3) if counts else "must match the existing size (3)"
    none = ("reward-raises", "not NoneType") if first else ("reward-constant", STILL)
    return {
        **{name: ("reward-raises", message) for name, message in RAISES.items()},
        "single": ("reward-count-wrong", expected_size.format(1) if counts else STILL),
        "three": ("reward-count-wrong", short),
        "infinite": ("reward-not-finite", STILL if counts else DIES),
        "nothing": none,
        "constant": ("reward-constant", STILL),
        "of_prompt": ("reward-of-prompt-alone", STILL),
        "of_solution": ("reward-of-prompt-alone", STILL),
        "reversed_": ("reward-prefers-garbage", STILL),
        "absent": ("reward-not-found", "has no attribute 'absent'"),
    }


@pytest.mark.slow
@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_the_report_agrees_with_the_real_steps(
    environment: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    python, table = interpreter(environment), expected(environment)
    run = candidate(tmp_path, *table, "healthy_reward")
    happened = steps(python, tmp_path, run)
    results = findings(python, tmp_path)
    for name, (rule, error) in table.items():
        real = happened[f"mine.{name}"]
        if error is STILL:
            assert (name, real["error"], real["moved"]) == (name, None, False)
        else:
            assert error in (real["error"] or f"{name} raises nothing")
        assert (name, results.get(f"mine.{name}")) == (name, [rule, *FROM_SOURCE.get(name, ())])
    groups = happened["mine.of_prompt"]["log"][0]
    assert groups["grad_norm"] == 0.0 and groups["reward_std"] == 0.0 and groups["reward"] > 0
    assert groups.get("frac_reward_zero_std", 1.0) == 1.0
    repaired = happened["mine.healthy_reward"]
    assert (repaired["error"], repaired["finite"], repaired["moved"]) == (None, True, True)
    assert "mine.healthy_reward" not in results


@pytest.mark.parametrize("environment", ["current", "grpo-first"])
def test_what_is_easy_and_paid_is_named(
    environment: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    """A box with anything in it, and a text that is a part of the right answer."""
    run = candidate(tmp_path, "any_box", "inside", "healthy_reward")
    (tmp_path / "run.json").write_text(json.dumps(run))
    flags = ("--select", "reward-*", "--level", "tiny")
    outcomes = checks(Path("run.json"), interpreter(environment), *flags, cwd=tmp_path)
    by_function = {
        finding["message"].split()[0]: finding
        for finding in outcomes["reward-pays-exploits"]["findings"]
    }
    assert {*by_function} == {"mine.any_box", "mine.inside"}
    assert "a wrong answer in the right form" in by_function["mine.any_box"]["message"]
    assert "the right form with nothing in it" in by_function["mine.inside"]["message"]
    assert {finding["severity"] for finding in by_function.values()} == {"warning"}


@pytest.mark.slow
def test_a_function_that_never_ends_is_named(tmp_path: Path, interpreter: Interpreter) -> None:
    candidate(tmp_path, "endless", "constant")
    results = findings(interpreter("current"), tmp_path, "--timeout", "30")
    assert results["mine.endless"] == ["reward-takes-too-long"]
    assert results["mine.constant"] == ["reward-constant"]


@pytest.mark.slow
@pytest.mark.parametrize("environment", ["current", "grpo-first"])
def test_the_line_of_a_hang_is_reported_within_a_short_limit(
    environment: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    candidate(tmp_path, "sleeping", "blocked", "constant")
    rule, flags = "reward-takes-too-long", ("--level", "tiny", "--timeout", "60")
    python, run = interpreter(environment), Path("run.json")
    outcomes = checks(run, python, "--select", "reward-*", *flags, cwd=tmp_path)
    places = {
        finding["message"].split()[0]: finding["evidence"][0]
        for finding in outcomes[rule]["findings"]
    }
    assert set(places) == {"mine.sleeping", "mine.blocked"}
    assert f"{tmp_path / 'mine.py'}:" in places["mine.sleeping"]
    assert places["mine.sleeping"].endswith(" in sleeping: time.sleep(10**9)")
    assert "in blocked: ctypes.PyDLL(None).sleep(1000)" in places["mine.blocked"]
    assert outcomes["reward-constant"]["state"] == "found"


@pytest.mark.slow
@pytest.mark.parametrize("environment", ["current", "four"])
def test_a_function_that_crashes_is_named(
    environment: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    python = interpreter(environment)
    run = candidate(tmp_path, "crashing")
    script, request = Path(__file__).parents[1] / "real_rewards.py", {"run": run, "seed": 0}
    real = ran(python, script, given=json.dumps(request), cwd=tmp_path)
    assert real.returncode == -signal.SIGSEGV
    beside = {**run, "reward_funcs": ["mine.crashing", "mine.healthy_reward"]}
    (tmp_path / "run.json").write_text(json.dumps(beside))
    assert findings(python, tmp_path) == {"mine.crashing": ["reward-raises"]}


@pytest.mark.slow
@pytest.mark.parametrize("environment", ["current", "four"])
def test_a_package_that_is_not_there_is_named(
    environment: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    python, name = interpreter(environment), "trl.rewards.accuracy_reward"
    run = candidate(tmp_path, name)
    if "math_verify" in os.listdir(next((python.parents[1] / "lib").glob("*/site-packages"))):  # noqa: PTH208
        pytest.skip("math_verify is there")
    real = steps(python, tmp_path, run)[name]
    assert real["error"].startswith("ImportError: Please install the `math_verify` package")
    assert findings(python, tmp_path)[name] == ["reward-not-importable"]


@pytest.mark.slow
@pytest.mark.parametrize("environment", ["current", "four"])
def test_a_name_that_trl_does_not_know(
    environment: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    python = interpreter(environment)
    candidate(tmp_path, "nosuch")
    assert "Could not load reward function 'nosuch'" in script(python, tmp_path, "nosuch")
    assert findings(python, tmp_path) == {"nosuch": ["reward-not-importable"]}


@pytest.mark.environment("grpo-shapes")
@pytest.mark.slow
def test_a_script_that_hands_no_functions_on(tmp_path: Path, interpreter: Interpreter) -> None:
    python, rule = interpreter("grpo-shapes"), "reward-funcs-not-handed-on"
    candidate(tmp_path, "healthy_reward")
    died = script(python, tmp_path, "mine.healthy_reward")
    assert "UnboundLocalError: cannot access local variable 'reward_model'" in died
    assert findings(python, tmp_path) == {"`trl": [rule]}
    assert findings(interpreter("four"), tmp_path) == {}


@pytest.mark.slow
@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_a_language_model_scores_with_a_random_head(
    environment: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    """Two loads of the same checkpoint reward the same completions otherwise."""
    python = interpreter(environment)
    run = candidate(tmp_path)
    scored = {**run, "reward_funcs": ["reward model: model"]}
    first, second = (
        steps(python, tmp_path, scored, seed=seed)["reward model: model"] for seed in (0, 1)
    )
    assert (first["error"], second["error"]) == (None, None)
    assert first["head"] != second["head"]
    shutil.copytree(ROOT / "fixtures/models/reward", tmp_path / "reward")
    for name, rules in (("model", {"reward-model-without-scalar-head"}), ("reward", set())):
        run_file = {**run, "reward_model_name_or_path": name}
        (tmp_path / "run.json").write_text(json.dumps(run_file))
        assert {rule for rules in findings(python, tmp_path).values() for rule in rules} == rules


def script(python: Path, folder: Path, function: str) -> str:
    """What TRL's own script says when it is started with one reward function."""
    (folder / "data").mkdir()
    shutil.copyfile(folder / "prompts.jsonl", folder / "data/train.jsonl")
    command = ["-m", "trl.scripts.grpo", "--model_name_or_path", "model", "--use_cpu"]
    command += ["--dataset_name", "data", "--reward_funcs", function, "--output_dir", "out"]
    return ran(python, *command, "--bf16", "false", "--report_to", "none", cwd=folder).stderr


def candidate(folder: Path, *names: str) -> dict[str, Any]:
    """The healthy model, prompts with solutions, mine.py, and a run file with these functions."""
    shutil.copytree(ROOT / "fixtures/models/healthy", folder / "model")
    shutil.copyfile(ROOT / "fixtures/data/prompts/train.jsonl", folder / "prompts.jsonl")
    shutil.copyfile(Path(__file__).with_name("reward_functions.py"), folder / "mine.py")
    listed = [name if "." in name or name == "nosuch" else f"mine.{name}" for name in names]
    run = {**RUN, **({"reward_funcs": listed} if listed else {})}
    (folder / "run.json").write_text(json.dumps(run, indent=2))
    return run


def steps(
    python: Path, folder: Path, run: Mapping[str, Any], seed: int = 0
) -> dict[str, dict[str, Any]]:
    """What became of two real steps with each function alone."""
    script = Path(__file__).parents[1] / "real_rewards.py"
    request = {"run": run, "seed": seed}
    answer: dict[str, dict[str, Any]] = answered(python, script, request=request, cwd=folder)
    return answer


def findings(python: Path, folder: Path, *flags: str) -> dict[str, list[str]]:
    """The doctor's rules about rewards by the function that a message begins with."""
    flags = ("--select", "reward-*", "--level", "tiny", *flags)
    outcomes = checks(Path("run.json"), python, *flags, cwd=folder)
    by_name: dict[str, list[str]] = {}
    for rule, check in outcomes.items():
        for finding in check["findings"]:
            if finding["follows_from"] == "reward-not-found":  # told once
                continue
            name = finding["message"].split()[0].rstrip(":")
            by_name.setdefault(name, []).append(rule)
    return by_name
