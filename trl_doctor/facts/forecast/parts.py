"""The rules by which parts of memory are quantised, and shared between several GPUs."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from trl_doctor.core.finding import Json
from trl_doctor.facts.forecast.bitsandbytes import packed_states, packed_weight
from trl_doctor.facts.forecast.hardware import Hardware
from trl_doctor.probes.answers.fit import Sizes

WIDTHS = {"float32": 4, "bfloat16": 2, "float16": 2, "float64": 8}
MASTER = 12
"""Bytes per weight: DeepSpeed's float32 copy and Adam's two float32 moments."""

LIVE = 1_000_000_000
"""The most weights that ZeRO-3 keeps gathered (stage3_max_live_parameters)."""

BUCKET = 500_000_000
"""The gradients that ZeRO-2 reduces at once (reduce_bucket_size)."""

GENERATION, SYNC = "generation", "weight sync"
MODELS = ("weights", "reference", "reward", "value")
LOAD, STEP = "load", "optimizer step"


class Plan(Struct, frozen=True):
    """The input of the rules. `half` says that DeepSpeed trains weights in 16 bits.

    `gathers` are the weights that ZeRO-3 gathers in generation and for vLLM (`gathered_in`).
    """

    hardware: Hardware
    sizes: Sizes
    bits: int
    optim: str
    half: bool
    nested: bool = False
    gathers: Mapping[str, int] = {}


def spread(sizes: Mapping[str, int], phase: str, plan: Plan) -> dict[str, int]:
    """The bytes by part on one of the GPUs, from the bytes on a single GPU."""
    by_part = dict(sizes)
    if plan.bits:
        _quantise(by_part, plan)
    if "8bit" in plan.optim and by_part.get("optimizer"):
        sizes_ = plan.sizes
        by_part["optimizer"] = packed_states(plan.optim, sizes_.trained, sizes_.embedded)
    if plan.half and by_part.get("optimizer"):
        by_part["optimizer"] = plan.sizes.trained * MASTER
    _share(by_part, phase, plan)
    for name in plan.hardware.offloaded:
        by_part[name] = 0
    return by_part


def _quantise(by_part: dict[str, int], plan: Plan) -> None:
    """Linear layers in few bits; the largest of them is unpacked while it is used."""
    width = WIDTHS.get(plan.sizes.dtype, 2)
    packed = packed_weight(plan.bits, nested=plan.nested)
    by_part["weights"] -= int(plan.sizes.linear * (width - packed))
    by_part["temporary"] = by_part.get("temporary", 0) + 2 * plan.sizes.linear_largest


def _share(by_part: dict[str, int], phase: str, plan: Plan) -> None:
    gpus, sizes = plan.hardware, plan.sizes
    count, kind = gpus.processes, gpus.spread
    width = WIDTHS.get(sizes.dtype, 2)
    if kind == "alone" or count == 1:
        return
    if kind == "ddp":
        if phase != LOAD:
            by_part["communication"] = sizes.trained * width
        return
    stage = {"zero-1": 1, "zero-2": 2, "zero-3": 3, "fsdp": 3}[kind]
    by_part["optimizer"] = by_part.get("optimizer", 0) // count
    if phase == STEP:
        by_part["temporary"] = by_part.get("temporary", 0) // count
    if stage >= 2:
        by_part["gradients"] = by_part.get("gradients", 0) // count
        if phase in ("backward", STEP):
            by_part["communication"] = 2 * width * min(BUCKET, sizes.trained, 2 * sizes.deepest)
    if stage == 3:
        _gather(by_part, kind, phase, plan)


def _gather(by_part: dict[str, int], kind: str, phase: str, plan: Plan) -> None:
    """Share the weights; the layers that are computed are gathered, in 16 bits."""
    sizes, count = plan.sizes, plan.hardware.processes
    for name in MODELS:
        by_part[name] = by_part.get(name, 0) // count
    by_part["weight copies"] = 0
    if phase in (LOAD, STEP, "save"):
        return
    outside = max(0, sizes.parameters - sizes.deepest * max(1, sizes.parameters // sizes.deepest))
    layers = 2 * sizes.deepest + outside
    gathered = min(LIVE, sizes.parameters) if kind == "zero-3" else min(layers, sizes.parameters)
    if kind == "zero-3":
        gathered = plan.gathers.get(phase, gathered)
    by_part["gathered"] = 2 * gathered


def gathered_in(sizes: Sizes, arguments: Mapping[str, Json], *, serves: bool) -> dict[str, int]:
    """The weights that TRL gathers under ZeRO-3 outside of training, by phase.

    For transformers' generation all of them (`unwrap_model_for_generation` in trl/models/utils.py),
    unless ds3_gather_for_generation is false. For vLLM, which `serves`, one weight after another,
    or all of them where an adapter has to be merged (`_iter_named_params` in vllm_generation.py).
    """
    if serves:
        adapter = sizes.trained < sizes.parameters
        return {GENERATION: 0, SYNC: sizes.parameters if adapter else min(LIVE, sizes.deepest)}
    gathers = str(arguments.get("ds3_gather_for_generation", True)).lower() != "false"
    return {GENERATION: sizes.parameters} if gathers else {}
