"""The `trl` command makes GRPO's config in one process, before it starts the others."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import checks, ran
from laid import Interpreter

RULE = "batch-not-divisible-by-generations"
FLAGS = ("--trainer", "grpo", "--level", "files", "--select", RULE)
RUN = {"output_dir": "out", "model_name_or_path": "model", "dataset_name": "data"}
RUN |= {"num_generations": 8, "num_processes": 2, "use_cpu": True}
COMMAND = """\
import sys
import accelerate.commands.launch as launch
launch.launch_command = lambda given: print("processes:", given.num_processes)
try:
    from trl.cli.main import main
except ImportError:
    from trl.cli import main
sys.argv = ["trl", "grpo", "--config", "run.yaml"]
main()
"""
REFUSED = "generation_batch_size (4) must be divisible by num_generations (8)"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("environment", "severity"),
    [("current", "error"), ("no-triton", "error"), ("ppo-last", "error"), ("four", "warning")],
)
def test_a_batch_for_two_processes(
    environment: str, severity: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    python = interpreter(environment)
    for size, started in ((4, "None" if severity == "warning" else ""), (8, "2")):
        (tmp_path / "run.yaml").write_text(json.dumps({**RUN, "per_device_train_batch_size": size}))
        process = ran(python, "-c", COMMAND, cwd=tmp_path)
        if severity == "error":
            assert (REFUSED in process.stderr) == (size == 4), process.stderr[-2000:]
            assert (f"processes: {started}" in process.stdout) == (size == 8)
        else:  # the two processes of the run file are not what accelerate is told
            assert "processes: None" in process.stdout, process.stderr[-2000:]
        found = checks(tmp_path / "run.yaml", python, *FLAGS, statuses=(0, 1))[RULE]["findings"]
        assert [finding["severity"] for finding in found] == ([severity] if size == 4 else [])


@pytest.mark.slow
def test_the_script_itself_starts_in_two_processes(
    tmp_path: Path, interpreter: Interpreter
) -> None:
    """What the finding says of `accelerate launch`: there the number of processes counts."""
    code = (
        "from unittest import mock\nfrom transformers import TrainingArguments\n"
        "from trl import GRPOConfig\n"
        "with mock.patch.object(TrainingArguments, 'world_size', property(lambda self: 2)):\n"
        "    print(GRPOConfig('out', per_device_train_batch_size=4, num_generations=8,"
        " use_cpu=True, bf16=False).generation_batch_size)"
    )
    process = ran(interpreter("current"), "-c", code, cwd=tmp_path)
    assert process.stdout.strip() == "8", process.stderr[-2000:]
