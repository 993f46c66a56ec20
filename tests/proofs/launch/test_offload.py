"""Which stage of ZeRO offloads parameters: real first processes with DeepSpeed."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import checks
from jobs import acc, ends_with, laid
from laid import Interpreter

RULE = "deepspeed-offload-ignored"
HAS = "assert hasattr(trainer.deepspeed.optimizer, 'parameter_offload') == {}"


@pytest.mark.slow
@pytest.mark.environment("cluster")
@pytest.mark.parametrize("stage", [2, 3])
def test_the_stage_that_offloads_parameters(
    stage: int, interpreter: Interpreter, tmp_path: Path
) -> None:
    python = interpreter("cluster")
    part = {"zero_stage": stage, "offload_param_device": "cpu", "zero3_init_flag": False}
    settings = acc(deepspeed_config=part)
    job, arguments = laid(tmp_path, settings, None, {}, HAS.format(stage == 3))
    assert ends_with(python, tmp_path, arguments) == ""
    found = checks(job, python, "--level", "files", "--select", RULE, statuses=(0, 1, 3))
    assert len(found[RULE]["findings"]) == (stage == 2)
