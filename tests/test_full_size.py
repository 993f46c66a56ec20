"""What the probe at full size takes: safe weights, the longest rows, the run's own length."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from trl_doctor.probes.layout.rows import rows
from trl_doctor.probes.layout.whole import arguments, linked, longest
from trl_doctor.probes.refusal import Refused


@dataclasses.dataclass
class Config:
    """A config class of a trainer, as far as these tests need one."""

    max_steps: int = -1
    num_train_epochs: float = 3.0
    steps_per_generation: int | None = None
    model_init_kwargs: dict[str, Any] | None = None


def test_pickled_weights_beside_another_safetensors_file_are_refused(tmp_path: Path) -> None:
    folder = model(tmp_path, "pytorch_model.bin", "value_head.safetensors")
    with pytest.raises(Refused, match="no safetensors weights"):
        link(folder)


def test_an_index_that_names_a_pickled_shard_is_refused(tmp_path: Path) -> None:
    folder = model(tmp_path, "pytorch_model.bin")
    index = json.dumps({"weight_map": {"lm_head.weight": "pytorch_model.bin"}})
    (folder / "model.safetensors.index.json").write_text(index)
    with pytest.raises(Refused, match=r"the shard pytorch_model\.bin is not in safetensors"):
        link(folder)


@pytest.mark.parametrize("name", ["adapter_model.bin", "own.safetensors.index.json"])
def test_a_config_that_names_other_weights_is_refused(name: str, tmp_path: Path) -> None:
    folder = model(tmp_path, "model.safetensors", "adapter_model.bin", name)
    (folder / "config.json").write_text(json.dumps({"transformers_weights": name}))
    with pytest.raises(Refused, match="names another file of weights"):
        link(folder)


def test_an_adapter_is_refused(tmp_path: Path) -> None:
    folder = model(tmp_path, "model.safetensors", "adapter_config.json", "adapter_model.bin")
    with pytest.raises(Refused, match="the folder is a PEFT adapter"):
        link(folder)


def test_safetensors_are_linked(tmp_path: Path) -> None:
    folder = model(tmp_path, "model.safetensors")
    assert link(folder).architecture == "LlamaForCausalLM"
    assert (tmp_path / "linked").resolve() == folder.resolve()


def test_a_run_cannot_ask_for_pickled_weights() -> None:
    said = {"model_init_kwargs": {"use_safetensors": False, "dtype": "bfloat16"}}
    made = arguments(Config, said, "grpo", "cuda")
    assert made.used["model_init_kwargs"] == {"use_safetensors": True, "dtype": "bfloat16"}
    assert made.changed["model_init_kwargs"][2] == "pickled weights are not loaded"


def test_the_runs_own_length_is_kept() -> None:
    made = arguments(Config, {"num_train_epochs": 1, "steps_per_generation": 4}, "grpo", "cuda")
    assert made.used == {"num_train_epochs": 1, "steps_per_generation": 4, "max_steps": 3}
    assert not made.changed


def test_the_longest_rows_are_sought_among_all(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    written = [{"prompt": "x" * (number % 500)} for number in range(1000)]
    written[900] = {"prompt": "y" * 9000}
    file.write_text("".join(json.dumps(row) + "\n" for row in written))
    request = {"trainer": {"name": "sft"}, "data": {"files": [str(file)]},
               "arguments": {"dataset_text_field": "prompt"}, "full_size": True}  # fmt: skip
    found = longest(rows(request, False), {"per_device_train_batch_size": 2}, "sft")
    assert found.source == "rows.jsonl, the longest of 1,000 rows"
    assert [len(row["prompt"]) for row in found.rows] == [9000, 499, 499, 498, 498, 497]


def model(root: Path, *names: str) -> Path:
    """A folder with a config and empty files of these names."""
    folder = root / "model"
    folder.mkdir()
    (folder / "config.json").write_text('{"architectures": ["LlamaForCausalLM"]}')
    for name in names:
        (folder / name).touch()
    return folder


def link(folder: Path) -> Any:
    """What becomes of the folder at full size."""
    return linked({"folders": {"policy": str(folder)}}, "policy", folder.parent / "linked")
