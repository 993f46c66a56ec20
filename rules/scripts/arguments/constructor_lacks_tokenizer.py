"""This trainer does not load the tokenizer itself.

Most trainers load the tokenizer of the model's folder themselves. A few do not, in some releases:
the script fails when it creates the trainer, after the model was loaded.

Remedy: load the tokenizer and pass it: `processing_class=AutoTokenizer.from_pretrained(…)`.

Versions: OnlineDPO, XPO and NashMD in all releases from trl 0.12.0 on; ORPO, CPO and BCO up to
1.7.1, KTO up to 1.2.0, DPO up to 0.18.2.

Seen: reproduced with trl 0.15.2 and 0.24.0: "processing_class must be specified", "max_length or a
processing_class must be specified"; OnlineDPO of 1.16.0: "`processing_class` must be provided".
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.script.passed import passed

FIRST = Version("0.12.0")
LAST = {
    "dpo": Version("0.18.2"),
    "kto": Version("1.2.0"),
    **dict.fromkeys(("orpo", "cpo", "bco"), Version("1.7.1")),
    **dict.fromkeys(("online_dpo", "xpo", "nash_md"), Version("1.16.0")),
}
"""The last known release of each trainer that loads no tokenizer itself."""

NAMES = ("processing_class", "tokenizer")


def check(facts: Facts) -> Iterator[Finding]:
    values, trainer = passed(facts), facts.run.trainer
    if isinstance(trainer, Unavailable):
        raise trainer
    trl = facts.environment.known_version("trl")
    if trainer.name not in LAST or not FIRST <= trl <= LAST[trainer.name]:
        raise NotConcerned(f"{trainer.trainer} of trl {trl} loads the tokenizer itself")
    if not any(values.has(name) for name in NAMES):
        yield Finding(
            facts.run.place(),
            f"{trainer.trainer} of trl {trl} gets no tokenizer, and loads none itself",
        )


def _script(name: str, more: str = "") -> dict[str, str]:
    head = f"from transformers import AutoTokenizer\nfrom trl import {name}Trainer\n"
    return {"train.py": f"{head}{name}Trainer('org/m', train_dataset=rows{more})\n"}


GIVEN = ", processing_class=AutoTokenizer.from_pretrained('org/m')"
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains=r"`?processing_class`? must be (specified|provided)",
    examples=(
        Bad(
            _script("DPO"),
            "train.py",
            versions={"trl": "0.15.2"},
            says="DPOTrainer of trl 0.15.2 gets no tokenizer",
        ),
        Bad(_script("ORPO", ", processing_class=None"), "train.py", versions={"trl": "0.24.0"}),
        Good(_script("DPO", ", tokenizer=tokenizer"), "train.py", versions={"trl": "0.15.2"}),
        Good(_script("DPO", GIVEN), "train.py", versions={"trl": "0.15.2"}),
        Good(_script("DPO"), "train.py", versions={"trl": "0.24.0"}),
        Good(
            _script("DPO", ", **given"),
            "train.py",
            versions={"trl": "0.15.2"},
            skipped="whether processing_class is given is not known",
        ),
    ),
)
