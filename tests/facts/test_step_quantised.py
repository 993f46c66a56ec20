"""How the real weights are quantised, as the files and the run's own arguments say it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from trl_doctor.asking.oracle import NoOracle
from trl_doctor.checkup.opening import Options, open_run
from trl_doctor.facts import Facts
from trl_doctor.facts.model.quantisation import quantised
from trl_doctor.files.target import target
from trl_doctor.machine.environment import Environment

GPTQ = {"quant_method": "gptq", "bits": 4, "group_size": 128}


@pytest.mark.parametrize(
    ("config", "run", "expected"),
    [
        (None, {}, ""),
        ({"quant_method": "bitsandbytes", "load_in_4bit": True}, {}, "4-bit bitsandbytes"),
        ({"quant_method": "bitsandbytes", "load_in_8bit": True}, {}, "8-bit bitsandbytes"),
        (GPTQ, {}, "4-bit gptq"),
        ({"quant_method": "awq", "bits": 4}, {}, "4-bit awq"),
        ({"quant_method": "fp8", "activation_scheme": "dynamic"}, {}, "fp8"),
        ({"quant_method": "compressed-tensors", "bits": None}, {}, "compressed-tensors"),
        (["hostile"], {}, ""),
        ({"quant_method": 4, "bits": "many"}, {}, ""),
        (None, {"load_in_4bit": True}, "4-bit bitsandbytes"),
        (None, {"model_init_kwargs": {"load_in_8bit": True}}, "8-bit bitsandbytes"),
        (None, {"model_init_kwargs": {"quantization_config": GPTQ}}, "4-bit gptq"),
        (GPTQ, {"model_init_kwargs": {"dtype": "auto"}}, "4-bit gptq"),
        (GPTQ, {"model_init_kwargs": "{}"}, "4-bit gptq"),
    ],
)
def test_the_real_weights_are_named(
    tmp_path: Path, config: Any, run: dict[str, Any], expected: str
) -> None:
    named = {"model_type": "llama", "quantization_config": config}
    (tmp_path / "model").mkdir()
    (tmp_path / "model/config.json").write_text(json.dumps(named))
    content = {"trainer": "sft", "model_name_or_path": "model", **run}
    (tmp_path / "run.json").write_text(json.dumps(content))
    world = Environment(Path("python"), ())
    opened = open_run(target(str(tmp_path / "run.json"), offline=True), world, Options())
    assert quantised(Facts(opened, world, NoOracle("nobody"))) == expected
