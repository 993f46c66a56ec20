"""The GPUs of a run, and how training is spread over them, from the user or the run's files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal, TypeAlias

from msgspec import Struct

from trl_doctor.core.finding import Json
from trl_doctor.core.sizes import GIB
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.launch.files import (
    accelerate_settings,
    deepspeed_settings,
    if_named,
    options_of_launcher,
)
from trl_doctor.machine.cards import Card, Stated

Spread: TypeAlias = Literal["alone", "ddp", "zero-1", "zero-2", "zero-3", "fsdp"]
STAGES: dict[int, Spread] = {0: "ddp", 1: "zero-1", 2: "zero-2", 3: "zero-3"}


class Hardware(Struct, frozen=True):
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
        size = f"{self.card.memory / GIB:.1f} GiB"
        source = f" ({self.spread_from})" if self.spread_from else ""
        spread = "" if self.spread == "alone" else f", {self.spread}{source}"
        off = f", {' and '.join(self.offloaded)} in main memory" if self.offloaded else ""
        count = f"{self.processes} × " if self.processes > 1 else ""
        return f"{count}{name} with {size} ({self.processes_from}){spread}{off}"


def hardware(facts: Facts) -> Hardware:
    """The hardware of the run. Raises `NotConcerned` or `Unavailable` if none is stated."""
    stated = facts.run.hardware
    if stated is None:
        raise NotConcerned("no GPU is named (--gpu)")
    if isinstance(stated, Unavailable):
        raise stated
    spread, spread_from, offloaded = _spread(facts, stated)
    processes, source = _processes(facts, stated)
    parallel = stated.tensor_parallel or int(facts.run.number("vllm_tensor_parallel_size") or 1)
    if processes == 1 and spread == "ddp":
        spread = "alone"
    return Hardware(stated.card, processes, source, spread, spread_from, parallel, offloaded)


def _processes(facts: Facts, stated: Stated) -> tuple[int, str]:
    """The processes that train: what the run says counts before the number of GPUs."""
    all_, run = stated.gpus * stated.nodes, facts.run
    source = stated.stated_in or ("--gpu" if stated.nodes == 1 else "--gpu and --nodes")
    if not run.processes or run.processes_assumed or run.processes == all_:
        return all_, source
    whole_nodes = stated.nodes == 1 and run.processes % stated.gpus == 0
    if run.processes < all_ or whole_nodes:
        return run.processes, run.processes_from
    return all_, source


def shared_by(facts: Facts) -> str:
    """What says that GPUs share the training, or that main memory holds a part of it; else empty.

    Raises `Unavailable` if a file that the run names is not here.
    """
    spread, source, offloaded = _spread(facts, facts.run.hardware)
    return source if spread != "ddp" or offloaded else ""


def _spread(
    facts: Facts, stated: Stated | Unavailable | None
) -> tuple[Spread, str, tuple[str, ...]]:
    if isinstance(stated, Stated) and stated.zero is not None:
        return STAGES[stated.zero], "--zero", ()
    if isinstance(stated, Stated) and stated.fsdp:
        return "fsdp", "--fsdp", ()
    for config, source in _configs(facts):
        spread = _spread_of(config)
        if spread:
            return spread[0], source, spread[1]
    return "ddp", "", ()


def _configs(facts: Facts) -> Iterator[tuple[Mapping[str, Json], str]]:
    """The run's own arguments and the files that it names, if they describe the spread."""
    if settings := if_named(facts, deepspeed_settings):
        yield settings.value, settings.name
    if facts.run.arguments.get("fsdp"):
        yield {"distributed_type": "FSDP"}, "fsdp in the run file"
    launcher = facts.run.target.launched_by
    yield _of_launcher(options_of_launcher(facts)), launcher.name if launcher else ""
    if settings := if_named(facts, accelerate_settings):
        yield settings.value, settings.name


def _of_launcher(options: Mapping[str, str]) -> Mapping[str, Json]:
    """What the options of `accelerate launch` say, in the words of its file."""
    stage = options.get("zero_stage", "")
    if stage.isdecimal():
        inner: dict[str, Json] = {**options, "zero_stage": int(stage)}
        return {"distributed_type": "DEEPSPEED", "deepspeed_config": inner}
    return {"distributed_type": "FSDP"} if "use_fsdp" in options else {}


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
