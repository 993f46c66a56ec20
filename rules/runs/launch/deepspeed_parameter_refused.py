"""DeepSpeed refuses a parameter of its optimizer or scheduler.

`params` of `optimizer` and of `scheduler` are given to the class as keyword arguments when the
model is wrapped: all processes have started by then, and the data are tokenized. A name that the
class does not have ends the run.

Remedy: correct the name, or remove it. Where the section only says what the run's own arguments
say, remove the section: the Trainer then creates the optimizer and the scheduler itself.

Versions: every DeepSpeed; the names are those of 0.14.5 to 0.19.8.

Seen: reproduced with SFT of trl 1.16.0 and DeepSpeed 0.19.8: "WarmupLR.__init__() got an unexpected
keyword argument 'warmup_ratio'" and "'warmup_num_step'", "FusedAdam.__init__() got an unexpected
keyword argument 'beta'". With `warmup_num_steps` and `betas` the same runs train.
"""

from collections.abc import Iterator, Mapping

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.similar import similar
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.launch.files import Settings, deepspeed_settings
from trl_doctor.facts.rule import Bad, Good, Rule

WARMUP = ("warmup_min_lr", "warmup_max_lr", "warmup_num_steps", "warmup_type")
LAST = "last_batch_iteration"
RANGE = ("min_lr", "step_size", "step_rate", "staircase")
CYCLE = ("first_step_size", "second_step_size", "first_stair_count", "second_stair_count",
         "min_lr", "max_lr", "momentum", "min_mom", "max_mom")  # fmt: skip
ADAM = ("lr", "betas", "eps", "weight_decay", "bias_correction", "adam_w_mode", "adamw_mode",
        "amsgrad", "set_grad_none", "torch_adam", "fp32_optimizer_states", "fused", "foreach",
        "maximize", "capturable", "differentiable", "decoupled_weight_decay")  # fmt: skip
PARAMS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "scheduler": {
        "WarmupLR": (*WARMUP, LAST),
        "WarmupDecayLR": ("total_num_steps", *WARMUP, LAST),
        "WarmupCosineLR": ("total_num_steps", "warmup_min_ratio", "warmup_num_steps",
                           "cos_min_ratio", "warmup_type", LAST),
        "LRRangeTest": (*(f"lr_range_test_{name}" for name in RANGE), LAST),
        "OneCycle": (*(f"cycle_{name}" for name in CYCLE), "decay_lr_rate", "decay_step_size",
                     "decay_mom_rate", LAST),
    },
    "optimizer": {"adam": ADAM, "adamw": ADAM},
}  # fmt: skip
"""What each class takes; of an optimizer whatever one of its forms takes."""

CLIPPING = "max_grad_norm"


def check(facts: Facts) -> Iterator[Finding]:
    settings = facts[deepspeed_settings]
    known_parts = [
        known_part
        for known_part in map(lambda part: _class_of(settings, part), PARAMS)
        if known_part
    ]
    if not known_parts:
        raise NotConcerned("the settings of DeepSpeed name no optimizer or scheduler with params")
    for part, kind, names in known_parts:
        for key in settings.part(part, "params"):
            if key not in names:
                yield _refused(settings, part, kind, key, names)


def _class_of(settings: Settings, part: str) -> tuple[str, str, tuple[str, ...]] | None:
    """The part, its class, and what that takes; None where this is not known."""
    kind = settings.get(part, "type")
    if not isinstance(kind, str) or not settings.part(part, "params"):
        return None
    names = PARAMS[part].get(kind.lower() if part == "optimizer" else kind)
    return (part, kind, names) if names else None


def _refused(settings: Settings, part: str, kind: str, key: str, names: tuple[str, ...]) -> Finding:
    keys = (part, "params", key)
    others = [other for other, accepted_keys in PARAMS[part].items() if key in accepted_keys]
    suggestions = [] if others or key == CLIPPING else similar(key, names)
    remedy = f"did you mean {suggestions[0]}?" if suggestions else f"remove {key}"
    if others:
        remedy += f", or write {' or '.join(others)} as the type"
    if key == CLIPPING:
        remedy += ": gradient_clipping at the top of the file says it"
    return Finding(
        settings.place(*keys),
        f"{kind} of DeepSpeed does not take {key}: the run fails when the model is wrapped",
        fix=settings.renamed(keys, suggestions[0])
        if similar(key, suggestions, alike=0.8)
        else None,
        remedy=remedy,
    )


def _files(**settings: Json) -> dict[str, Json]:
    run: Json = {"trainer": "sft", "model_name_or_path": "m", "deepspeed": "ds.json"}
    return {"run.json": run, "ds.json": {"zero_optimization": {"stage": 2}, **settings}}


def _scheduler(kind: str, **params: Json) -> dict[str, Json]:
    return _files(scheduler={"type": kind, "params": params})


def _optimizer(kind: str, **params: Json) -> dict[str, Json]:
    return _files(optimizer={"type": kind, "params": params})


RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains=r"(LR|LRRangeTest|OneCycle|Adam|AdamW)\.__init__\(\) got an unexpected keyword"
    r"|'max_grad_norm' is not supported",
    examples=(
        Bad(
            _scheduler("WarmupLR", warmup_num_step=5),
            fixed={"ds.json": _scheduler("WarmupLR", warmup_num_steps=5)["ds.json"]},
            says="WarmupLR of DeepSpeed does not take warmup_num_step: the run fails",
        ),
        Bad(_scheduler("WarmupLR", total_num_steps=5), says="does not take total_num_steps"),
        Bad(_scheduler("WarmupLR", own=5), says="does not take own"),
        Bad(
            _optimizer("AdamW", beta=[0.9, 0.9]),
            fixed={"ds.json": _optimizer("AdamW", betas=[0.9, 0.9])["ds.json"]},
            says="AdamW of DeepSpeed does not take beta",
        ),
        Bad(_optimizer("Adam", max_grad_norm=1.0), says="does not take max_grad_norm"),
        Good(_scheduler("WarmupDecayLR", total_num_steps="auto", warmup_max_lr="auto")),
        Good(_scheduler("OneCycle", cycle_min_lr=0.1, cycle_max_lr=0.2, decay_lr_rate=0.1)),
        Good(_optimizer("AdamW", lr="auto", betas="auto", torch_adam=True, weight_decay="auto")),
        Good(_optimizer("SGD", lr=0.1, nesterov=True)),
        Good(_files()),
    ),
)
