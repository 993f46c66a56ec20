"""Prefix tuning does not work with gradient checkpointing.

The prefix is a cache of keys and values, and gradient checkpointing switches caches off. The run
fails in its first step: "The size of tensor a (25) must match the size of tensor b (41) at
non-singleton dimension 3". The difference is the number of virtual tokens. Newer releases of trl
switch gradient checkpointing on by default.

Remedy: set `gradient_checkpointing=False`, or use LoRA.

Versions: reproduced with trl 1.16.0, transformers 5.23.0 and peft 0.21.2; a warning for others.

Seen: trl#4168. Reproduced with SFT and DPO, with `peft_config` and with `get_peft_model`; without
checkpointing they train. Prompt tuning and p-tuning train with it.
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding
from trl_doctor.core.trainer import Trainer
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.library import releases
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import trl_of
from trl_doctor.facts.script.passed import adapter_config, passed

from ..._recorded.scripts import script

CLASS, KEY, TESTED = "PrefixTuningConfig", "gradient_checkpointing", Version("1.16.0")


def check(facts: Facts) -> Iterator[Finding]:
    values, trl = passed(facts), trl_of(facts)
    config = adapter_config(values, CLASS)
    if config is None:
        raise NotConcerned("the run uses no prefix tuning")
    stated = KEY in facts.run.arguments
    if facts.run.flag(KEY) or (not stated and _usual(facts, trl)):
        name = "peft_config" if config is values.values.get("peft_config") else "model"
        how = "is on" if stated else f"is on by default in trl {trl}"
        yield Finding(
            values.places[name],
            f"{KEY} {how}: it switches the cache off that prefix tuning needs",
            severity=None if trl and trl >= TESTED else "warning",
        )


def _usual(facts: Facts, trl: Version | None) -> bool:
    """Whether the release switches it on by itself."""
    trainer = facts.run.trainer
    if trl is None or not isinstance(trainer, Trainer):
        return False
    return releases.default(trl, trainer.config, KEY) == "True"


def _files(config: str = "", name: str = CLASS) -> dict[str, str]:
    before = (
        f"from peft import {name}, get_peft_model\n"
        "from transformers import AutoModelForCausalLM as A\n"
        f"model = get_peft_model(A.from_pretrained('org/m'), {name}(num_virtual_tokens=4))\n"
    )
    return script("SFT", "model=model", config, before)


OFF, ON = f"{KEY}=False", f"{KEY}=True"
PREFIX = f"from peft import {CLASS}\n"
GIVEN = f"model='org/m', peft_config={CLASS}(num_virtual_tokens=4)"
TRL = {"trl": "1.16.0"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="at non-singleton dimension 3",
    examples=(
        Bad(
            _files(),
            "train.py",
            versions=TRL,
            says="gradient_checkpointing is on by default in trl 1.16.0",
        ),
        Bad(
            script("SFT", GIVEN, ON, PREFIX),
            "train.py",
            versions=TRL,
            says="it switches the cache off that prefix tuning needs",
        ),
        Bad(
            _files(ON),
            "train.py",
            versions={"trl": "0.15.2"},
            says="gradient_checkpointing is on",
            severity="warning",
        ),
        Good(_files(OFF), "train.py", versions=TRL),
        Good(_files(), "train.py", versions={"trl": "0.15.2"}),
        Good(_files("", "LoraConfig"), "train.py", versions=TRL),
    ),
)
