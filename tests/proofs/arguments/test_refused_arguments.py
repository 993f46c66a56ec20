"""Arguments that the real command of trl refuses, and what the doctor reports beforehand."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from commands import checks, died, ran
from laid import ROOT, Interpreter

RULE = "argument-refused-by-trl"
FLAGS = ("--trainer", "sft", "--level", "tiny", "--select", RULE)
SFT = {
    "model_name_or_path": "model",
    "dataset_name": "data",
    "output_dir": "out",
    "bf16": False,
    "use_cpu": True,
    "max_steps": 1,
    "report_to": "none",
}


@pytest.mark.slow
@pytest.mark.parametrize("environment", ["four", "current"])
@pytest.mark.parametrize(
    ("key", "value", "says"),
    [
        ("eval_strategy", "stepz", "stepz is not a valid IntervalStrategy"),
        ("lr_scheduler_type", "cosin", "cosin is not a valid SchedulerType"),
        ("report_to", "wandbb", "wandbb is not supported"),
        ("optim", "adamw_torchh", "adamw_torchh is not a valid OptimizerNames"),
        ("lr_scheduler_type", "cosine_with_min_lr", "One of min_lr or min_lr_rate should be set"),
        ("accelerator_config", {"split_batch": True}, "unexpected keyword argument 'split_batch'"),
        ("max_steps", "some", "invalid int value: 'some'"),
        ("save_strategy", "epoch", ""),
    ],
)
def test_a_value_that_trl_refuses(
    key: str,
    value: object,
    says: str,
    environment: str,
    tmp_path: Path,
    interpreter: Interpreter,
) -> None:
    python = interpreter(environment)
    shutil.copytree(ROOT / "fixtures/models/healthy", tmp_path / "model")
    (tmp_path / "data").mkdir()
    (tmp_path / "data/train.jsonl").write_text(json.dumps({"text": "One two three."}) + "\n")
    (tmp_path / "run.yaml").write_text(json.dumps({**SFT, key: value}))
    error = died(python, tmp_path, "sft")
    assert says in error if says else not error, error

    outcomes = checks(tmp_path / "run.yaml", python, *FLAGS)[RULE]
    assert [says in finding["message"] for finding in outcomes["findings"]] == (
        [True] if says else []
    )
    assert [finding["pointer"] for finding in outcomes["findings"]] == ([f"/{key}"] if says else [])


@pytest.mark.slow
@pytest.mark.parametrize("environment", ["grpo-first", "current"])
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"learning_rate": -1e-5}, "Invalid learning rate: -1e-05"),
        ({"learning_rate": -1e-5, "optim": "sgd"}, "Invalid learning rate: -1e-05"),
        ({"adam_beta2": 99.9}, "Invalid beta parameter at index 1: 99.9"),
        ({"adam_epsilon": -1e-8}, "Invalid epsilon value: -1e-08"),
        ({"learning_rate": -1e-5, "optim": "adafactor"}, ""),
        ({"adam_beta2": 99.9, "optim": "sgd"}, ""),
    ],
)
def test_a_number_that_the_optimizer_refuses(
    arguments: dict[str, object],
    says: str,
    environment: str,
    tmp_path: Path,
    interpreter: Interpreter,
) -> None:
    python, rule = interpreter(environment), "argument-refused-by-optimizer"
    shutil.copytree(ROOT / "fixtures/models/healthy", tmp_path / "model")
    (tmp_path / "data").mkdir()
    (tmp_path / "data/train.jsonl").write_text(json.dumps({"text": "One two three."}) + "\n")
    (tmp_path / "run.yaml").write_text(json.dumps({**SFT, **arguments}))
    error = died(python, tmp_path, "sft")
    assert says in error if says else not error, error
    told = checks(
        tmp_path / "run.yaml", python, "--trainer", "sft", "--level", "files", "--select", rule
    )[rule]["findings"]
    (key, *_) = arguments
    assert [finding["pointer"] for finding in told] == [f"/{key}"][: bool(says)]


COMMAND = """
import sys
from trl import cli
sys.argv = ["trl", "sft", "--config", "run.yaml"]
(cli.main if callable(cli.main) else cli.main.main)()
"""


@pytest.mark.slow
@pytest.mark.parametrize("environment", ["four", "current"])
def test_what_accelerate_launch_refuses(
    environment: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    python = interpreter(environment)
    (tmp_path / "run.yaml").write_text(json.dumps({**SFT, "mixed_precision": "fp7"}))
    process = ran(python, "-c", COMMAND, cwd=tmp_path)
    assert process.returncode
    assert "invalid choice: 'fp7'" in process.stderr
    (finding,) = checks(tmp_path / "run.yaml", python, *FLAGS)[RULE]["findings"]
    assert "accelerate launch refuses" in finding["message"]
    assert finding["pointer"] == "/mixed_precision"


@pytest.mark.slow
@pytest.mark.parametrize("environment", ["four", "current"])
def test_an_evaluation_that_fails(
    environment: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    python, rule, key = interpreter(environment), "evaluation-raises", "eval_accumulation_steps"
    shutil.copytree(ROOT / "fixtures/models/healthy", tmp_path / "model")
    (tmp_path / "data").mkdir()
    for split in ("train", "test"):
        row = json.dumps({"text": "One two three."}) + "\n"
        (tmp_path / f"data/{split}.jsonl").write_text(row * 8)
    run = {**SFT, "eval_strategy": "steps", "eval_steps": 1}
    flags = (*FLAGS[:4], "--select", rule)
    for value, error in ((0, "integer modulo by zero"), (1, "")):
        (tmp_path / "run.yaml").write_text(json.dumps({**run, key: value}))
        assert error in died(python, tmp_path, "sft")
        outcomes = checks(tmp_path / "run.yaml", python, *flags, statuses=(0, 1, 3))[rule][
            "findings"
        ]
        assert [finding["pointer"] for finding in outcomes] == [f"/{key}"][: bool(error)]


@pytest.mark.slow
@pytest.mark.parametrize("environment", ["four", "current"])
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"dataset_train_split": "training"}, "KeyError: 'training'"),
        ({"dataset_config": "main"}, "BuilderConfig 'main' not found"),
        ({"eval_strategy": "steps", "eval_steps": 1}, "KeyError: 'test'"),
        ({"gradient_accumulation_steps": 2}, ""),
    ],
)
def test_a_command_that_does_not_start(
    arguments: dict[str, object],
    says: str,
    environment: str,
    tmp_path: Path,
    interpreter: Interpreter,
) -> None:
    python = interpreter(environment)
    shutil.copytree(ROOT / "fixtures/models/healthy", tmp_path / "model")
    (tmp_path / "data").mkdir()
    row = json.dumps({"text": "One two three."}) + "\n"
    (tmp_path / "data/train.jsonl").write_text(row * 4)
    (tmp_path / "run.yaml").write_text(json.dumps({**SFT, **arguments}))
    error = died(python, tmp_path, "sft")
    assert says in error if says else not error, error

    flags = ("--trainer", "sft", "--level", "tiny", "--select", "run-does-not-start")
    outcomes = checks(tmp_path / "run.yaml", python, *flags)["run-does-not-start"]
    assert [says in finding["message"] for finding in outcomes["findings"]] == (
        [True] if says else []
    )
    if "test" in says:
        flags = ("--trainer", "sft", "--level", "files", "--select", "evaluation-without-data")
        (finding,) = checks(tmp_path / "run.yaml", python, *flags)[flags[-1]]["findings"]
        assert finding["pointer"] == "/eval_strategy"


@pytest.mark.slow
@pytest.mark.parametrize("environment", ["four", "current"])
@pytest.mark.parametrize(("processes", "refused"), [(4, False), (2, True)])
def test_a_batch_that_only_fits_the_processes_of_the_job(
    processes: int, refused: bool, environment: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    python = interpreter(environment)
    run = {**SFT, "per_device_train_batch_size": 6, "num_generations": 8}
    run |= {"reward_funcs": ["accuracy_reward"], "num_processes": processes}
    (tmp_path / "run.yaml").write_text(json.dumps(run))
    flags = ("--trainer", "grpo", "--level", "tiny", "--select", RULE)
    outcomes = checks(tmp_path / "run.yaml", python, *flags)[RULE]
    assert bool(outcomes["findings"]) is refused, outcomes


@pytest.mark.slow
@pytest.mark.parametrize("environment", ["four", "current"])
def test_two_precisions(environment: str, tmp_path: Path, interpreter: Interpreter) -> None:
    python, rule = interpreter(environment), "argument-two-precisions"
    shutil.copytree(ROOT / "fixtures/models/healthy", tmp_path / "model")
    (tmp_path / "data").mkdir()
    (tmp_path / "data/train.jsonl").write_text(json.dumps({"text": "One two three."}) + "\n")
    for fp16, found in ((True, 1), (False, 0)):
        (tmp_path / "run.yaml").write_text(json.dumps({**SFT, "bf16": True, "fp16": fp16}))
        error = died(python, tmp_path, "sft")
        assert bool(error) == fp16 == ("At most one of fp16 and bf16" in error), error
        at_files = ("--trainer", "sft", "--level", "files", "--select", rule)
        findings = checks(tmp_path / "run.yaml", python, *at_files)[rule]["findings"]
        assert [finding["remedy"] for finding in findings] == ["set one of them to false"] * found
