"""The rules by which parts of memory are quantised, and shared out over several GPUs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from trl_doctor.facts.forecast.hardware import Hardware
from trl_doctor.probes.answers.fit import Sizes

WIDTHS = {"float32": 4, "bfloat16": 2, "float16": 2, "float64": 8}
BLOCK, BLOCK_8 = 64, 256
"""Weights that share a scale of 4 bytes: in 4-bit weights, in 8-bit optimizer states."""

MASTER = 12
"""Bytes a weight: DeepSpeed's float32 copy and the two float32 moments of Adam."""

LIVE = 1_000_000_000
"""Weights that ZeRO-3 keeps gathered at most (stage3_max_live_parameters)."""

BUCKET = 500_000_000
"""Gradients that ZeRO-2 reduces at once (reduce_bucket_size)."""

MODELS = ("weights", "reference", "reward", "value")
LOAD, STEP = "load", "optimizer step"


@dataclass(frozen=True)
class Plan:
    """What the rules need to know: `half` says that DeepSpeed trains weights in 16 bits."""

    hardware: Hardware
    sizes: Sizes
    bits: int
    optim: str
    half: bool
    nested: bool = False


def spread(held: Mapping[str, int], phase: str, plan: Plan) -> dict[str, int]:
    """What one of the GPUs holds, of what one alone would hold."""
    found = dict(held)
    if plan.bits:
        _quantise(found, plan)
    if "8bit" in plan.optim and found.get("optimizer"):
        found["optimizer"] = int(plan.sizes.trained * 2 * (1 + 4 / BLOCK_8))
    if plan.half and found.get("optimizer"):
        found["optimizer"] = plan.sizes.trained * MASTER
    _share(found, phase, plan)
    for part in plan.hardware.offloaded:
        found[part] = 0
    return found


def _quantise(found: dict[str, int], plan: Plan) -> None:
    """Linear layers in few bits; the largest of them is unpacked while it is used."""
    width = WIDTHS.get(plan.sizes.dtype, 2)
    scales = 1 / BLOCK + 4 / (BLOCK * 256) if plan.nested else 4 / BLOCK
    packed = 0.5 + scales if plan.bits == 4 else 1.0
    found["weights"] -= int(plan.sizes.linear * (width - packed))
    found["temporary"] = found.get("temporary", 0) + 2 * plan.sizes.linear_largest


def _share(found: dict[str, int], phase: str, plan: Plan) -> None:
    there, sizes = plan.hardware, plan.sizes
    count, kind = there.processes, there.spread
    width = WIDTHS.get(sizes.dtype, 2)
    if kind == "alone" or count == 1:
        return
    if kind == "ddp":
        if phase != LOAD:
            found["communication"] = sizes.trained * width
        return
    stage = {"zero-1": 1, "zero-2": 2, "zero-3": 3, "fsdp": 3}[kind]
    found["optimizer"] = found.get("optimizer", 0) // count
    if phase == STEP:
        found["temporary"] = found.get("temporary", 0) // count
    if stage >= 2:
        found["gradients"] = found.get("gradients", 0) // count
        if phase in ("backward", STEP):
            found["communication"] = 2 * width * min(BUCKET, sizes.trained, 2 * sizes.deepest)
    if stage == 3:
        _gather(found, kind, phase, plan)


def _gather(found: dict[str, int], kind: str, phase: str, plan: Plan) -> None:
    """Weights are shared out; those of the layers at work are gathered, in 16 bits."""
    sizes, count = plan.sizes, plan.hardware.processes
    for part in MODELS:
        found[part] = found.get(part, 0) // count
    found["weight copies"] = 0
    if phase in (LOAD, STEP, "save"):
        return
    outside = max(0, sizes.parameters - sizes.deepest * max(1, sizes.parameters // sizes.deepest))
    layers = 2 * sizes.deepest + outside
    gathered = min(LIVE, sizes.parameters) if kind == "zero-3" else min(layers, sizes.parameters)
    found["gathered"] = 2 * gathered
