"""LoRA is configured, but use_peft is not true.

The keys that begin with `lora_` have an effect only if `use_peft` is true. Without it the whole
model is trained, with many times the memory and a learning rate that was meant for an adapter.
There is no warning.

Remedy: set `use_peft: true`, or remove the lora keys from the run file.

Versions: every release whose scripts have use_peft.

Seen: reproduced with `python -m trl.scripts.sft --config` of trl 1.16.0 with lora_r and
lora_target_modules: it trains every weight and saves a whole model.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Fix, Json, Put, pointer
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.unknown import known_to_trl
from trl_doctor.facts.rule import Bad, Good, Rule

KEY = "use_peft"


def check(facts: Facts) -> Iterator[Finding]:
    if facts.run.by_class and not facts.run.parser:
        raise NotConcerned("the script makes the adapter's config itself")
    _, accepted = known_to_trl(facts)
    arguments = facts.run.arguments
    lora = [
        key
        for key in arguments
        if key.startswith("lora_") and key in accepted.fields and arguments.get(key) is not None
    ]
    if not lora or KEY not in accepted.fields:
        raise NotConcerned("the run configures no adapter (lora_…)")
    if facts.run.flag(KEY):
        return
    off = arguments.get(KEY) is not None
    edit = Put(facts.run.target.path, pointer(KEY), True)
    yield Finding(
        facts.run.place(lora[0]),
        f"{', '.join(lora)} {'has' if len(lora) == 1 else 'have'} no effect without {KEY}: true: "
        "the whole model is trained",
        (f"source: {accepted.source}",),
        fix=Fix(f"set {KEY} to true", (edit,), safe=False),
        severity="note" if off else None,
    )


LORA: dict[str, Json] = {
    "trainer": "sft",
    "model_name_or_path": "model",
    "lora_r": 8,
    "lora_target_modules": "all-linear",
}
TRL = {"trl": "1.16.0"}
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            {"run.json": LORA},
            versions=TRL,
            says="lora_r, lora_target_modules have no effect without use_peft: true",
            fixed={"run.json": {**LORA, KEY: True}},
        ),
        Bad(
            {"run.json": {**LORA, KEY: False}},
            versions=TRL,
            says="the whole model is trained",
            severity="note",
            fixed={"run.json": {**LORA, KEY: True}},
        ),
        Good({"run.json": {**LORA, KEY: True}}, versions=TRL),
        Good({"run.json": {"trainer": "sft", "lora_r": None}}, versions=TRL),
    ),
)
