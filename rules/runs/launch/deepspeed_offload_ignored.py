"""Parameters stay on the GPU: the stage of ZeRO is below 3.

DeepSpeed moves parameters to the CPU or to a disk in stage 3 only: with stage 1 or 2 each GPU holds
the whole model, and `offload_param` has no effect. There is no warning; the run needs the memory
that it was to save.

Remedy: use `zero_stage: 3` (`stage: 3` in a file of DeepSpeed), or offload the optimizer, which
stage 2 can: `offload_optimizer_device: cpu`.

Versions: tested with DeepSpeed 0.19.8 and accelerate 1.15.0.

Seen: reproduced with SFT of trl 1.16.0 on the CPU: with `zero_stage: 2` and `offload_param_device:
cpu` the run trains, and its optimizer has no part that offloads parameters; with stage 3 it has.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.launch.files import (
    Settings,
    accelerate_settings,
    deepspeed_settings,
    if_named,
)
from trl_doctor.facts.rule import Bad, Good, Rule

OF_ACCELERATE = ("deepspeed_config", "zero_stage"), ("deepspeed_config", "offload_param_device")
OF_DEEPSPEED = ("zero_optimization", "stage"), ("zero_optimization", "offload_param", "device")


def check(facts: Facts) -> Iterator[Finding]:
    own = if_named(facts, deepspeed_settings)
    above = if_named(facts, accelerate_settings)
    if own is not None:
        yield from _ignored(own, *OF_DEEPSPEED)
    elif above is not None and above.get("distributed_type") == "DEEPSPEED":
        yield from _ignored(above, *OF_ACCELERATE)
    else:
        raise NotConcerned("no settings of DeepSpeed are named")


def _ignored(file: Settings, stage: tuple[str, ...], device: tuple[str, ...]) -> Iterator[Finding]:
    number, where = file.get(*stage), file.get(*device)
    if str(number) in ("0", "1", "2") and where in ("cpu", "nvme"):
        yield Finding(
            file.place(*device),
            f"{'.'.join(device)} is {where}, but {stage[-1]} is {number}: parameters are offloaded "
            "in stage 3 only",
            remedy=f"set {stage[-1]} to 3, or remove {device[1]}",
        )


def _accelerate(stage: int, device: str) -> dict[str, Json]:
    part: dict[str, Json] = {"zero_stage": stage, "offload_param_device": device}
    return {
        "run.json": {"trainer": "sft", "accelerate_config": "a.yaml"},
        "a.yaml": {"distributed_type": "DEEPSPEED", "deepspeed_config": part},
    }


def _deepspeed(stage: int, device: str) -> dict[str, Json]:
    part: dict[str, Json] = {"stage": stage, "offload_param": {"device": device}}
    return {
        "run.json": {"trainer": "sft", "deepspeed": "ds.json"},
        "ds.json": {"zero_optimization": part},
    }


RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            _accelerate(2, "cpu"),
            says="deepspeed_config.offload_param_device is cpu, but zero_stage is 2: parameters",
        ),
        Bad(_deepspeed(2, "cpu"), says="zero_optimization.offload_param.device is cpu, but stage"),
        Bad(_deepspeed(1, "nvme"), says="offload_param.device is nvme, but stage is 1"),
        Good(_accelerate(3, "cpu")),
        Good(_accelerate(2, "none")),
        Good(_deepspeed(3, "cpu")),
        Good({"run.json": {"trainer": "sft"}}),
    ),
)
