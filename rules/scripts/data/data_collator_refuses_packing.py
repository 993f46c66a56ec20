"""SFTTrainer refuses packing with this collator.

Packing cuts the rows at fixed lengths, and `DataCollatorForCompletionOnlyLM` looks for the
beginning of the answer in each row. SFTTrainer refuses both together: "You passed a
`DataCollatorForCompletionOnlyLM` to the SFTTrainer. This is not compatible with the `packing`
argument".

Remedy: set `packing=False`, or train on whole texts without the collator.

Versions: trl before 0.15. From 0.15 to 0.19 the class is there, and the refusal is not.

Seen: Transformers-Tutorials#381. Reproduced with SFT of trl 0.12.2: it fails when the trainer is
created; without packing it trains. The source of 0.14.0 has the same check.
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding, Fix, Put
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer, trl_of
from trl_doctor.facts.script.passed import constructed, passed

from ..._recorded.scripts import script

CLASS, KEY, LAST = "DataCollatorForCompletionOnlyLM", "packing", Version("0.15.0")


def check(facts: Facts) -> Iterator[Finding]:
    values, trl = passed(facts), trl_of(facts)
    collator = constructed(values.values.get("data_collator"))
    if known_trainer(facts) != "sft" or collator is None or collator.short != CLASS:
        raise NotConcerned(f"the run is no SFT with {CLASS}")
    if trl is None or trl >= LAST:
        raise NotConcerned(f"SFTTrainer refuses both together before trl {LAST}")
    if facts.run.flag(KEY):
        place = facts.run.place(KEY)
        yield Finding(
            place,
            f"{KEY} is on, and SFTTrainer refuses it together with {CLASS}",
            fix=Fix(f"set {KEY} to false", (Put(place.file, place.pointer, value=False),)),
        )


def _files(config: str) -> dict[str, str]:
    before = f"from trl import {CLASS}\ncollator = {CLASS}('### Answer:', tokenizer='m')\n"
    return script("SFT", "model='m', data_collator=collator", config, before)


TRL = {"trl": "0.12.2"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="not compatible with the `packing` argument",
    examples=(
        Bad(
            _files("packing=True"),
            "train.py",
            versions=TRL,
            says="packing is on, and SFTTrainer refuses it together with DataCollatorFor",
            fixed=_files("packing=False"),
        ),
        Good(_files("packing=False"), "train.py", versions=TRL),
        Good(_files(""), "train.py", versions=TRL),
        Good(_files("packing=True"), "train.py", versions={"trl": "0.15.2"}),
        Good(script("SFT", "model='m'", "packing=True"), "train.py", versions=TRL),
    ),
)
