"""ZeRO-3 saves a model without weights.

Each process of ZeRO-3 has a part of each weight. Unless DeepSpeed is set to gather them,
`save_model` and the end of the run write config and tokenizer, and the weights only as DeepSpeed's
own parts: `from_pretrained` and vLLM find no model in the folder. Only one line in the log reports
it.

Remedy: set `zero3_save_16bit_model: true` in accelerate's file, or
`"stage3_gather_16bit_weights_on_model_save": true` under `zero_optimization` in DeepSpeed's. For a
run that has ended: `zero_to_fp32.py` in the folder builds the weights from the parts.

Versions: every release; the default of both keys is false.

Seen: reproduced with SFT of trl 1.16.0, transformers 5.23.0 and DeepSpeed 0.19.8: the folder holds
`global_step2` and no `model.safetensors`. With the key it has the weights. An adapter
is saved whole. It is an error where a rehearsal saved such a folder and could not load it.
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
    zero_stage,
)
from trl_doctor.facts.measured.rehearsal import rehearsal
from trl_doctor.facts.rule import Bad, Examples, Good, Rule

OWN = (
    ("zero_optimization", "stage3_gather_16bit_weights_on_model_save"),
    ("zero_optimization", "gather_16bit_weights_on_model_save"),
    ("zero_optimization", "stage3_gather_fp16_weights_on_model_save"),
)
"""The keys of DeepSpeed's settings that gather, by their names in all releases."""

NO_FILE = "no file named model"
"""What transformers reports of a folder without weights."""

GATHERS = "zero3_save_16bit_model"
"""The key of accelerate's file."""

TRUE = (True, "true", "True", "1", "auto")
"""Values that gather, or leave it to accelerate."""


def check(facts: Facts) -> Iterator[Finding]:
    if zero_stage(facts) != 3:
        raise NotConcerned("the run does not use ZeRO-3")
    passes = facts.run.script.passed
    if facts.run.flag("use_peft") or (passes is not None and passes.has("peft_config")):
        raise NotConcerned("an adapter is saved whole")
    settings, routes = _settings(facts)
    gathers = any(settings.get(*route) in TRUE for route in routes)
    if gathers:
        return
    key = ".".join(routes[0])
    yield Finding(
        settings.place(routes[0][0]),
        f"ZeRO-3 saves a model without weights: {key} of {settings.name} is not true",
        remedy=f"set {key} to true",
        severity="error" if _nothing_loads(facts) else None,
    )


def _nothing_loads(facts: Facts) -> bool:
    """Whether a rehearsal saved the model, and found no weights in the folder."""
    measured = facts.get(rehearsal)
    saved_model = measured.saved if measured else None
    return bool(saved_model and not saved_model.loads and NO_FILE in saved_model.error)


def _settings(facts: Facts) -> tuple[Settings, tuple[tuple[str, ...], ...]]:
    if own := if_named(facts, deepspeed_settings):
        return own, OWN
    return facts[accelerate_settings], (("deepspeed_config", GATHERS),)


def _files(**zero: Json) -> dict[str, Json]:
    run: Json = {"trainer": "sft", "model_name_or_path": "m", "deepspeed": "ds.json"}
    return {"run.json": run, "ds.json": {"zero_optimization": zero}}


def _with_adapter() -> dict[str, Json]:
    run: dict[str, Json] = {"trainer": "sft", "model_name_or_path": "m", "use_peft": True}
    return {**_files(stage=3), "run.json": {**run, "deepspeed": "ds.json"}}


def _accelerate(**inner: Json) -> dict[str, Json]:
    run: Json = {"trainer": "sft", "model_name_or_path": "m", "accelerate_config": "acc.yaml"}
    return {
        "run.json": run,
        "acc.yaml": {"distributed_type": "DEEPSPEED", "deepspeed_config": inner},
    }


def examples() -> Examples:
    from ..._recorded.rehearsal import saved

    return (
        Bad(_files(stage=3), says="stage3_gather_16bit_weights_on_model_save of ds.json is not"),
        Bad(
            _accelerate(zero_stage=3),
            says="deepspeed_config.zero3_save_16bit_model of acc.yaml is not true",
        ),
        Bad(
            _files(stage=3),
            level="rehearsal",
            answers=saved(loads=False, error=f"OSError: Error {NO_FILE}.safetensors"),
            severity="error",
        ),
        Good(_files(stage=3, stage3_gather_16bit_weights_on_model_save=True)),
        Good(_files(stage=2)),
        Good(_with_adapter()),
        Good(_accelerate(zero_stage=3, zero3_save_16bit_model=True)),
        Good(_accelerate(zero_stage=2)),
    )


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
