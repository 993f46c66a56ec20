"""DeepSpeed refuses its optimizer or its scheduler.

Their names are looked up when the model is wrapped: all processes have started by then, and the
data are tokenized. Upper and lower case count in the name of a scheduler and of an optimizer of
torch, but not in the names of DeepSpeed's own optimizers. A scheduler needs its `params`.

Remedy: correct the name, or remove the section: the Trainer then creates the optimizer and the
scheduler from the run's own arguments.

Versions: every DeepSpeed; the names are read from the installed DeepSpeed and torch. If DeepSpeed
is not installed, the names of all releases from 0.14.5 to 0.19.8 are accepted.

Seen: reproduced with SFT of trl 1.16.0 and DeepSpeed 0.19.8: "DeepSpeed does not recognize LR
scheduler warmuplr", "sgd is not a supported DeepSpeed Optimizer" (also with
zero_allow_untested_optimizer), "You are using an untested ZeRO Optimizer" (SGD without it),
"OneBitAdam is not a supported DeepSpeed Optimizer", "missing 1 required positional argument:
'total_num_steps'", "argument after ** must be a mapping, not NoneType" (no params), "zero stage 2
requires an optimizer" (no type). "ADAMW" trains.
"""

from collections.abc import Iterator, Mapping

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.similar import similar
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.launch.files import Settings, deepspeed_settings
from trl_doctor.facts.library.deepspeed import optimizers, optimizers_of_torch
from trl_doctor.facts.rule import Bad, Good, Rule

SCHEDULERS: Mapping[str, tuple[str, ...]] = {
    "LRRangeTest": (),
    "OneCycle": ("cycle_min_lr", "cycle_max_lr"),
    "WarmupLR": (),
    "WarmupDecayLR": ("total_num_steps",),
    "WarmupCosineLR": ("total_num_steps",),
}
"""DeepSpeed's schedulers, with the params that have no default."""

PARTS = {"optimizer": "AdamW", "scheduler": "WarmupLR"}
"""The parts with a `type`, and a usual one."""

FILLED = ("total_num_steps",)
"""Params that may be "auto"."""

UNTESTED = "zero_allow_untested_optimizer"


def check(facts: Facts) -> Iterator[Finding]:
    settings = facts[deepspeed_settings]
    parts = [part for part in PARTS if isinstance(settings.get(part), dict)]
    if not parts:
        raise NotConcerned("the settings of DeepSpeed name no optimizer and no scheduler")
    for part in parts:
        name = settings.get(part, "type")
        if name is None:
            yield Finding(
                settings.place(part),
                f"{part}.type is missing: DeepSpeed makes no {part}, and nothing else does",
                remedy=f'write "type": "{PARTS[part]}", or remove {part}',
            )
        elif isinstance(name, str) and part == "optimizer":
            yield from _optimizer(facts, settings, name)
        elif isinstance(name, str):
            yield from _scheduler(settings, name)


def _optimizer(facts: Facts, settings: Settings, name: str) -> Iterator[Finding]:
    own, of_torch = optimizers(facts.environment), optimizers_of_torch(facts.environment)
    if name.lower() in own:
        return
    if name not in of_torch:
        class_names = {class_name.lower(): class_name for class_name in (*own, *of_torch)}
        yield _unknown(settings, "optimizer", name, tuple(class_names.values()))
    elif settings.get("zero_optimization", "stage") != 0 and settings.get(UNTESTED) is not True:
        yield Finding(
            settings.place("optimizer", "type"),
            f"optimizer.type is {name}, which DeepSpeed has not tested with ZeRO: it is refused",
            remedy=f'write "{UNTESTED}": true, or take AdamW',
        )


def _scheduler(settings: Settings, name: str) -> Iterator[Finding]:
    if name not in SCHEDULERS:
        yield _unknown(settings, "scheduler", name, tuple(SCHEDULERS))
        return
    params = settings.get("scheduler", "params")
    if params is None:
        yield Finding(
            settings.place("scheduler", "type"),
            f"scheduler.params is missing: DeepSpeed cannot make {name}",
            remedy=f'write "params": {_params(name)} beside "type"',
        )
        return
    for key in SCHEDULERS[name]:
        if isinstance(params, dict) and key not in params:
            yield Finding(
                settings.place("scheduler", "params"),
                f"scheduler.params.{key} is missing: DeepSpeed cannot make {name}",
                remedy=f'write "{key}": "auto"' if key in FILLED else f'write a number for "{key}"',
            )


def _params(name: str) -> str:
    if not name.startswith("Warmup"):
        return "{…}"
    keys = (*SCHEDULERS[name], "warmup_num_steps")
    return "{" + ", ".join(f'"{key}": "auto"' for key in keys) + "}"


def _unknown(settings: Settings, part: str, name: str, names: tuple[str, ...]) -> Finding:
    other_case = [other for other in names if other.lower() == name.lower()]
    suggestions = other_case or similar(name, names) or similar(name.lower(), names)
    listed = ", ".join(sorted(names, key=str.lower))
    return Finding(
        settings.place(part, "type"),
        f"{part}.type cannot be {name}",
        fix=settings.put((part, "type"), other_case[0]) if other_case else None,
        remedy=f"did you mean {suggestions[0]}?" if suggestions else f"write one of {listed}",
    )


def _files(**settings: Json) -> dict[str, Json]:
    run: Json = {"trainer": "sft", "model_name_or_path": "m", "deepspeed": "ds.json"}
    return {"run.json": run, "ds.json": {"zero_optimization": {"stage": 2}, **settings}}


def _named(name: str, **params: Json) -> Json:
    return {"type": name, "params": params}


SGD: dict[str, Json] = {"optimizer": _named("SGD"), "zero_allow_untested_optimizer": True}
CONFIG = "ADAM_OPTIMIZER = 'adam'\nNEW_OPTIMIZER = 'newest'\n"
INSTALLED = {
    "site-packages/deepspeed-0.19.8.dist-info/METADATA": "Name: deepspeed\nVersion: 0.19.8\n",
    "site-packages/deepspeed/__init__.py": "",
    "site-packages/deepspeed/runtime/config.py": CONFIG,
}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains=r"is not a supported DeepSpeed Optimizer|DeepSpeed does not recognize LR scheduler"
    r"|using an untested ZeRO Optimizer|zero stage \d requires an optimizer",
    examples=(
        Bad(_files(optimizer=_named("AdamWW")), says="optimizer.type cannot be AdamWW"),
        Bad(
            _files(optimizer=_named("sgd"), zero_allow_untested_optimizer=True),
            fixed={"ds.json": _files(**SGD)["ds.json"]},
            says="optimizer.type cannot be sgd",
        ),
        Bad(_files(optimizer=_named("SGD")), says="SGD, which DeepSpeed has not tested with ZeRO"),
        Bad(
            {**INSTALLED, **_files(optimizer=_named("OneBitAdam"))},
            says="optimizer.type cannot be OneBitAdam",
        ),
        Bad(_files(optimizer={"params": {"lr": "auto"}}), says="optimizer.type is missing"),
        Bad(_files(scheduler=_named("Warmup")), says="scheduler.type cannot be Warmup"),
        Bad(
            _files(scheduler=_named("warmuplr")),
            fixed={"ds.json": _files(scheduler=_named("WarmupLR"))["ds.json"]},
            says="scheduler.type cannot be warmuplr",
        ),
        Bad(_files(scheduler={"type": "WarmupLR"}), says="scheduler.params is missing"),
        Bad(
            _files(scheduler=_named("WarmupDecayLR", warmup_num_steps="auto")),
            says="scheduler.params.total_num_steps is missing",
        ),
        Good(_files(optimizer=_named("SGD"), zero_allow_untested_optimizer=True)),
        Good(_files(optimizer={"type": "ADAMW"}, scheduler=_named("WarmupLR"))),
        Good({**INSTALLED, **_files(optimizer=_named("Newest"))}),
        Good(_files(scheduler=_named("WarmupDecayLR", total_num_steps="auto"))),
    ),
)
