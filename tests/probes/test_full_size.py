"""What the probe at full size takes: safe weights, the longest rows, the run's own length."""

from __future__ import annotations

import dataclasses
import importlib.util
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from packaging.version import Version
from trl_doctor_rules._recorded.candidate import CONFIG, TOKENIZER, under
from trl_doctor_rules._recorded.libraries import IMPORTS
from trl_doctor_rules._recorded.runs import recorded

from trl_doctor.asking.limits import ProbeLimits, in_time
from trl_doctor.asking.oracle import Conditions, ExampleOracle
from trl_doctor.checkup.opening import Options, open_run
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.full import measured
from trl_doctor.files.target import target
from trl_doctor.machine.environment import Environment
from trl_doctor.probes import gpu_memory
from trl_doctor.probes.answers.full import FullAnswer
from trl_doctor.probes.layout.arguments import engine_share
from trl_doctor.probes.layout.rows import rows
from trl_doctor.probes.layout.whole import arguments, linked, longest
from trl_doctor.probes.refusal import Refused
from trl_doctor.probes.watching import optimizer_steps
from trl_doctor.testing import answered, laid_out


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


class Cuda:
    """Says of a GPU what is free, and takes a limit. It is a stand-in for torch.cuda."""

    def __init__(self, free: int) -> None:
        self.free, self.limits = free, list[float]()

    def mem_get_info(self) -> tuple[int, int]:
        return self.free, 80

    def synchronize(self) -> None:
        """There is nothing to wait for."""

    def memory_allocated(self) -> int:
        return 7

    def set_per_process_memory_fraction(self, part: float) -> None:
        self.limits.append(part)


@pytest.mark.parametrize(("free", "limits", "engine"), [(79, [], 0.2), (40, [0.45], 0.2),
                                                         (8, [0.09], 0.09)])  # fmt: skip
def test_what_others_use_of_a_gpu_is_left_to_them(
    monkeypatch: pytest.MonkeyPatch, free: int, limits: list[float], engine: float
) -> None:
    cuda = Cuda(free)
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(cuda=cuda))
    gpu_memory.limit()
    assert cuda.limits == pytest.approx(limits)
    assert engine_share("cuda") == pytest.approx(engine)


def test_memory_is_reported_as_the_driver_counts_it(monkeypatch: pytest.MonkeyPatch) -> None:
    cuda = Cuda(70)
    monkeypatch.setattr(optimizer_steps, "_cuda", lambda: cuda)
    watch = optimizer_steps.OptimizerWatch("cuda")
    optimizer = SimpleNamespace(param_groups=[])
    for free in (30, 50):
        cuda.free = free
        watch.before(optimizer)
        watch.after()
    assert watch.used == 80 - 30, "what all processes take at most"
    assert watch.left == [7, 7]


def test_the_time_limit_is_that_of_the_level_unless_the_user_sets_one() -> None:
    limits = ProbeLimits(memory=1, disk=1)
    assert in_time(limits, "tiny", None).seconds == 300
    assert in_time(limits, "full", None).seconds == 1800
    assert in_time(limits, "full", 7).seconds == 7


def test_safetensors_are_linked(tmp_path: Path) -> None:
    folder = model(tmp_path, "model.safetensors")
    assert link(folder).architecture == "LlamaForCausalLM"
    assert (tmp_path / "linked").resolve() == folder.resolve()


def test_a_run_cannot_switch_pickled_weights_on() -> None:
    run = {"model_init_kwargs": {"use_safetensors": False, "dtype": "bfloat16"}}
    result = arguments(Config, run, "grpo", "cuda")
    assert result.used["model_init_kwargs"] == {"use_safetensors": True, "dtype": "bfloat16"}
    assert result.changed["model_init_kwargs"][2] == "pickled weights are not loaded"


def test_the_runs_own_length_is_kept() -> None:
    result = arguments(Config, {"num_train_epochs": 1, "steps_per_generation": 4}, "grpo", "cuda")
    assert result.used == {"num_train_epochs": 1, "steps_per_generation": 4, "max_steps": 3}
    assert not result.changed


def test_the_longest_rows_are_sought_among_all(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    all_rows = [{"prompt": "x" * (number % 500)} for number in range(1000)]
    all_rows[900] = {"prompt": "y" * 9000}
    file.write_text("".join(json.dumps(row) + "\n" for row in all_rows))
    request = {"trainer": {"name": "sft"}, "data": {"files": [str(file)]},
               "arguments": {"dataset_text_field": "prompt"}, "full_size": True}  # fmt: skip
    result = longest(rows(request, False), {"per_device_train_batch_size": 2}, "sft")
    assert result.source == "rows.jsonl, the longest of 1,000 rows"
    assert [len(row["prompt"]) for row in result.rows] == [9000, 499, 499, 498, 498, 497]


@dataclasses.dataclass
class ServerConfig(Config):
    """A config class as in trl 0.18 to 0.29: a mode that is left open is that of a server."""

    use_vllm: bool = False
    vllm_mode: str = "server"


@dataclasses.dataclass
class ColocateConfig(ServerConfig):
    """A config class as from trl 1.0 on."""

    vllm_mode: str = "colocate"


@pytest.mark.parametrize(
    ("config", "run", "expected"),
    [
        (ServerConfig, {}, False),
        (ServerConfig, {"vllm_mode": "colocate"}, True),
        (ColocateConfig, {}, True),
        (ColocateConfig, {"vllm_mode": "server"}, False),
    ],
)
def test_weights_are_never_pushed_into_a_server_that_runs(
    monkeypatch: pytest.MonkeyPatch, config: type, run: dict[str, Any], expected: bool
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: name == "vllm")
    result = arguments(config, {"use_vllm": True, **run}, "grpo", "cuda")
    assert result.used["use_vllm"] is expected


WARM, LAST = (17.0, 3.0, 3.0), (9.0, 5.0, 5.0)


@pytest.mark.parametrize(
    ("arguments", "seconds", "steps", "step_seconds"),
    [
        ({}, LAST, 12, 5.0),
        ({"steps_per_generation": 4}, WARM, 12, (17 + 3 * 3) / 4),
        ({"num_iterations": 2}, (17.0, 3.0, 16.0), 24, (16 + 3) / 2),
        ({"generation_batch_size": 32}, WARM, 12, (17 + 3 * 3) / 4),
        ({"gradient_accumulation_steps": 2}, LAST, 6, 5.0),
        ({"gradient_accumulation_steps": 2, "num_iterations": 4}, WARM, 24, (17 + 3 * 3) / 4),
        ({"max_steps": 7}, LAST, 7, 5.0),
    ],
)
def test_the_time_of_a_job_counts_every_step_and_those_that_generate(
    arguments: dict[str, Any], seconds: tuple[float, ...], steps: int, step_seconds: float
) -> None:
    run = {"trainer": "grpo", "num_processes": 1, "num_generations": 8, "model_name_or_path": "m",
           "per_device_train_batch_size": 8, "num_train_epochs": 1, **arguments}  # fmt: skip
    batch = 8 * int(arguments.get("gradient_accumulation_steps", 1))
    answer = dataclasses.replace(recorded("grpo", "full", FullAnswer), seconds_by_step=seconds,
                                 rows_there=12, epochs=1.0, batch=batch)  # fmt: skip
    there = {name: answered(name, value) for name, value in {**IMPORTS, "full": answer}.items()}
    world = Environment(Path("python"), (), {"trl": Version("1.16.0")})
    with laid_out({"run.json": run, **under("m", TOKENIZER, CONFIG)}) as folder:
        opened = open_run(
            target(str(folder / "run.json"), offline=True), world, Options(offline=True)
        )
        facts = Facts(opened, world, ExampleOracle(there, Conditions("full", "cuda")))
        result = facts[measured]
    assert (result.steps, result.step_seconds) == (steps, pytest.approx(step_seconds))


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
