"""The GPUs of a run, and how training is spread over them, as the user or the run's files say."""

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
    """`processes` train, each on a GPU of its own; `spread` says what they share out, `spread_from`
    who says so. `offloaded` are parts that DeepSpeed keeps in main memory. `deepspeed` computes in
    the type of the weights, in which they are kept beside a float32 copy of the optimizer's.
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
        """Whether DeepSpeed trains."""
        return self.spread.startswith("zero")

    @property
    def line(self) -> str:
        """It in one line."""
        name = self.card.name if self.card.name else "GPU"
        size = f"{self.card.memory / 1024**3:.1f} GiB"
        said = f" ({self.spread_from})" if self.spread_from else ""
        how = "" if self.spread == "alone" else f", {self.spread}{said}"
        off = f", {' and '.join(self.offloaded)} in main memory" if self.offloaded else ""
        count = f"{self.processes} × " if self.processes > 1 else ""
        return f"{count}{name} with {size} ({self.processes_from}){how}{off}"


def hardware(facts: Facts) -> Hardware:
    """The hardware of the run. Raises `NotConcerned` where the user states none."""
    stated = facts.run.hardware
    if stated is None:
        raise NotConcerned("no GPU is named (--gpu)")
    spread, said, offloaded = _spread(facts, stated)
    all_ = stated.gpus * stated.nodes
    processes, source = all_, "--gpu" if stated.nodes == 1 else "--gpu and --nodes"
    known = facts.run.processes
    if known and known < all_:
        processes, source = known, facts.run.processes_from
    if known and known > all_ and all_ == 1:
        processes, source = known, facts.run.processes_from
    parallel = stated.tensor_parallel or int(facts.run.number("vllm_tensor_parallel_size") or 1)
    if processes == 1 and spread == "ddp":
        spread = "alone"
    return Hardware(stated.card, processes, source, spread, said, parallel, offloaded)


def _spread(facts: Facts, stated: Stated) -> tuple[Spread, str, tuple[str, ...]]:
    if stated.zero is not None:
        return STAGES[stated.zero], "--zero", ()
    if stated.fsdp:
        return "fsdp", "--fsdp", ()
    for config, said in _configs(facts):
        found = _read(config)
        if found:
            return found[0], said, found[1]
    return "ddp", "", ()


def _configs(facts: Facts) -> Iterator[tuple[Mapping[str, Json], str]]:
    """What the run says of spreading: its own arguments, and the files that they name."""
    given = facts.run.arguments
    for key in ("deepspeed", "accelerate_config"):
        value = given.get(key)
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
    if given.get("fsdp"):
        yield {"distributed_type": "FSDP"}, "fsdp in the run file"


def _read(config: Mapping[str, Json]) -> tuple[Spread, tuple[str, ...]] | None:
    """What an accelerate or a DeepSpeed file says."""
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


def _zero(said: Json) -> tuple[Spread, tuple[str, ...]]:
    part = said if isinstance(said, dict) else {}
    stage = part.get("stage", 0)
    devices = {
        f"{name}_device": one["device"]
        for name in ("offload_optimizer", "offload_param")
        if isinstance(one := part.get(name), dict) and "device" in one
    }
    offloaded = _offloaded(devices, "offload_optimizer_device", "offload_param_device")
    return STAGES.get(stage if isinstance(stage, int) else 0, "ddp"), offloaded


def _offloaded(said: Mapping[str, Json], optimizer: str, weights: str) -> tuple[str, ...]:
    names = ((optimizer, "optimizer"), (weights, "weights"))
    return tuple(part for key, part in names if said.get(key) in ("cpu", "nvme"))
