"""A section of DeepSpeed's settings is invalid or removed.

accelerate and transformers look into the sections before DeepSpeed does, and fail on a value that
is not a section: `"zero_optimization": true` gives "'bool' object has no attribute 'get'", without
the name of the key. By then all processes have started. DeepSpeed refuses a section whose feature
was removed, even if it is switched off.

Remedy: write the section as the finding shows it. Remove a section that DeepSpeed no longer has.

Versions: transformers and accelerate of every release refuse a value that is not a section. Removed
sections are read from the installed DeepSpeed; 0.19.8 no longer has `amp`, `elasticity` and others.

Seen: reproduced with SFT of trl 1.16.0, transformers 5.23.0, accelerate 1.15.0 and DeepSpeed
0.19.8: `true`, `2` and `null` for zero_optimization; `true` for bf16; "cpu" for offload_optimizer
and offload_param; "AdamW" for optimizer; "WarmupLR" for scheduler; `true` for comms_logger;
"Elastic training has been removed". As the finding shows it, the same run trains.
"""

import json
from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.facts import Facts
from trl_doctor.facts.launch.files import Settings, deepspeed_settings
from trl_doctor.facts.library.deepspeed import removed
from trl_doctor.facts.library.launcher_keys import SECTIONS
from trl_doctor.facts.rule import Bad, Good, Rule

NEVER_NULL = ("zero_optimization", "offload_optimizer", "bf16", "fp16", "optimizer", "scheduler")
"""Sections that may not be null either."""


def check(facts: Facts) -> Iterator[Finding]:
    settings = facts[deepspeed_settings]
    removal = removed(facts.environment)
    for route, keys in removal.items():
        for key in settings.part(*route):
            if key in keys:
                yield _removed(facts, settings, (*route, key))
    for section in SECTIONS:
        part = settings.part(*section[:-1])
        if section[-1] in part and section[-1] not in removal.get(section[:-1], ()):
            yield from _no_section(settings, section, part[section[-1]])


def _removed(facts: Facts, settings: Settings, keys: tuple[str, ...]) -> Finding:
    name = f"DeepSpeed {facts.environment.version('deepspeed') or ''}".strip()
    return Finding(
        settings.place(*keys),
        f"{name} has lost {'.'.join(keys)}, and refuses the settings",
        remedy=f"remove {keys[-1]}, even if it is switched off",
    )


def _no_section(settings: Settings, keys: tuple[str, ...], value: Json) -> Iterator[Finding]:
    if isinstance(value, dict) or (value is None and keys[-1] not in NEVER_NULL):
        return
    form, usual = SECTIONS[keys]
    if usual is not None:
        own = type(value) is type(usual) and value != "auto"
        form %= json.dumps(value if own else usual)
    without = keys != ("zero_optimization",) and value in (None, False)
    yield Finding(
        settings.place(*keys),
        f"{'.'.join(keys)} is {json.dumps(value)} where a section is expected: the run fails",
        remedy=f'write "{keys[-1]}": {form}' + (f", or remove {keys[-1]}" if without else ""),
    )


def _files(**settings: Json) -> dict[str, Json]:
    run: Json = {"trainer": "sft", "model_name_or_path": "m", "deepspeed": "ds.json"}
    return {"run.json": run, "ds.json": {"zero_optimization": {"stage": 2}, **settings}}


CONFIG = """_REMOVED_TOP_LEVEL_CONFIG_KEYS = {
    "elasticity":
    "Elastic training has been removed. "
    "Set the batch size directly.",
}
_REMOVED_ZERO_CONFIG_KEYS = {
    "mics_shard_size": "gone",
}
"""
HERE = "site-packages/deepspeed"
INSTALLED = {
    f"{HERE}-0.19.8.dist-info/METADATA": "Name: deepspeed\nVersion: 0.19.8\n",
    f"{HERE}/__init__.py": "",
    f"{HERE}/runtime/config.py": "import os\n" + CONFIG,
}
OFF: Json = {"enabled": False}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains=r"Config\(\) argument after \*\* must be a mapping|DeepSpeedConfigError",
    examples=(
        Bad(
            _files(zero_optimization=True),
            says="zero_optimization is true where a section is expected: the run fails",
        ),
        Bad(_files(zero_optimization=None), says="zero_optimization is null"),
        Bad(_files(bf16=True), says="bf16 is true where a section is expected"),
        Bad(
            _files(zero_optimization={"stage": 2, "offload_optimizer": "cpu"}),
            says='zero_optimization.offload_optimizer is "cpu" where a section is expected',
        ),
        Bad(_files(optimizer="Adam", scheduler=None), says="scheduler is null where a section"),
        Bad(
            {**INSTALLED, **_files(elasticity=OFF)},
            says="DeepSpeed 0.19.8 has lost elasticity, and refuses the settings",
        ),
        Bad(
            {**INSTALLED, **_files(zero_optimization={"stage": 3, "mics_shard_size": 2})},
            says="has lost zero_optimization.mics_shard_size",
        ),
        Good(_files(elasticity=OFF, comms_logger=OFF, aio=None)),
        Good({**INSTALLED, **_files(bf16={"enabled": "auto"})}),
        Good(_files(zero_optimization={"stage": 3, "offload_param": None})),
    ),
)
