"""The GPUs of a run, and how training is spread over them, from the user or the run's files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from trl_doctor.core.finding import Json
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.files import document
from trl_doctor.machine.cards import Card, Stated

Spread: TypeAlias = Literal["alone", "ddp", "zero-1", "zero-2", "zero-3", "fsdp"]
STAGES: dict[int, Spread] = {0: "ddp", 1: "zero-1", 2: "zero-2", 3: "zero-3"}


@dataclass(frozen=True)
class Hardware:
    """`processes` train, each on its own GPU. `spread` is what they share, and its source.

    `offloaded` are parts that DeepSpeed keeps in main memory. `deepspeed` computes in the type of
    the weights; the optimizer keeps a float32 copy of them.
    """

    card: Card
    processes: int
    processes_from: str
    spread: Spread
    spread_from: str
    tensor_parallel: int = 1
    offloaded: tuple[str, ...] = ()

    @property
    def deepspeed(self) -> bool:
        """Whether DeepSpeed is used for training."""
        return self.spread.startswith("zero")

    @property
    def line(self) -> str:
        """The hardware in one line."""
        name = self.card.name if self.card.name else "GPU"
        size = f"{self.card.memory / 1024**3:.1f} GiB"
        source = f" ({self.spread_from})" if self.spread_from else ""
        spread = "" if self.spread == "alone" else f", {self.spread}{source}"
        off = f", {' and '.join(self.offloaded)} in main memory" if self.offloaded else ""
        count = f"{self.processes} × " if self.processes > 1 else ""
        return f"{count}{name} with {size} ({self.processes_from}){spread}{off}"


def hardware(facts: Facts) -> Hardware:
    """The hardware of the run. Raises `NotConcerned` if the user states none."""
    stated = facts.run.hardware
    if stated is None:
        raise NotConcerned("no GPU is named (--gpu)")
    spread, spread_from, offloaded = _spread(facts, stated)
    all_ = stated.gpus * stated.nodes
    processes, source = all_, "--gpu" if stated.nodes == 1 else "--gpu and --nodes"
    run_processes = facts.run.processes
    if run_processes and run_processes < all_:
        processes, source = run_processes, facts.run.processes_from
    if run_processes and run_processes > all_ and all_ == 1:
        processes, source = run_processes, facts.run.processes_from
    parallel = stated.tensor_parallel or int(facts.run.number("vllm_tensor_parallel_size") or 1)
    if processes == 1 and spread == "ddp":
        spread = "alone"
    return Hardware(stated.card, processes, source, spread, spread_from, parallel, offloaded)


def _spread(facts: Facts, stated: Stated) -> tuple[Spread, str, tuple[str, ...]]:
    if stated.zero is not None:
        return STAGES[stated.zero], "--zero", ()
    if stated.fsdp:
        return "fsdp", "--fsdp", ()
    for config, source in _configs(facts):
        spread = _spread_of(config)
        if spread:
            return spread[0], source, spread[1]
    return "ddp", "", ()


def _configs(facts: Facts) -> Iterator[tuple[Mapping[str, Json], str]]:
    """The run's own arguments and the files that it names, if they describe the spread."""
    arguments = facts.run.arguments
    for key in ("deepspeed", "accelerate_config"):
        value = arguments.get(key)
        if isinstance(value, dict):
            yield value, key
        elif isinstance(value, str) and value:
            for root in facts.run.roots:
                if (Path(root) / value).is_file():
                    try:
                        yield document.read(Path(root) / value).mapping(), value
                    except document.Unreadable as problem:
                        raise Unavailable(f"{key} {value}: {problem}") from problem
                    break
            else:
                raise Unavailable(f"{key} {value} is not here")
    if arguments.get("fsdp"):
        yield {"distributed_type": "FSDP"}, "fsdp in the run file"


def _spread_of(config: Mapping[str, Json]) -> tuple[Spread, tuple[str, ...]] | None:
    """The spread and the offloaded parts in an accelerate or a DeepSpeed file."""
    kind = str(config.get("distributed_type", "")).upper()
    inner = config.get("deepspeed_config")
    if "zero_optimization" in config:
        return _zero(config["zero_optimization"])
    if kind == "DEEPSPEED" and isinstance(inner, dict):
        stage = inner.get("zero_stage", 2)
        offloaded = _offloaded(inner, "offload_optimizer_device", "offload_param_device")
        return STAGES.get(stage if isinstance(stage, int) else 2, "zero-2"), offloaded
    if kind == "FSDP":
        return "fsdp", ()
    if kind in ("MULTI_GPU", "NO"):
        return "ddp", ()
    return None


def _zero(optimization: Json) -> tuple[Spread, tuple[str, ...]]:
    settings = optimization if isinstance(optimization, dict) else {}
    stage = settings.get("stage", 0)
    devices = {
        f"{name}_device": device["device"]
        for name in ("offload_optimizer", "offload_param")
        if isinstance(device := settings.get(name), dict) and "device" in device
    }
    offloaded = _offloaded(devices, "offload_optimizer_device", "offload_param_device")
    return STAGES.get(stage if isinstance(stage, int) else 0, "ddp"), offloaded


def _offloaded(settings: Mapping[str, Json], optimizer: str, weights: str) -> tuple[str, ...]:
    names = ((optimizer, "optimizer"), (weights, "weights"))
    return tuple(name for key, name in names if settings.get(key) in ("cpu", "nvme"))
