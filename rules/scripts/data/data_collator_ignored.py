"""The trainer does not use the script's data collator.

GKDTrainer replaces the collator that it gets with its own `DataCollatorForChatML`. The first
PPOTrainer and RLOOTrainer always pad rows that have `input_ids`, whatever collator they get. The
script's collator is never called, and there is no warning: the run trains on other batches, or
fails because the rows have no `input_ids`.

Remedy: upgrade trl; or set `trainer.data_collator` after the trainer is made (GKD), or do in
`dataset.map` what the collator does (PPO, RLOO).

Versions: GKD before trl 0.22.0; PPO and RLOO of 0.12. RLOO of 0.22.0 to 0.24.0 warns that it
ignores a collator.

Seen: trl#2481, trl#2354. Reproduced with GKD of trl 0.19.1, whose batches are made by
DataCollatorForChatML, and with RLOO of 0.12.2: "You should supply an encoding or a list of
encodings to this method that includes input_ids". The sources of GKD of 0.15.2, of PPO of 0.12.2
and of RLOO of 0.24.0 show the same.
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding
from trl_doctor.core.trainer import TRAINERS
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer, trl_of
from trl_doctor.facts.script.passed import constructed, passed

from ..._recorded.scripts import script

KEY = "data_collator"
PADS, CHATS = "DataCollatorWithPadding", "DataCollatorForChatML"
IGNORED = {
    "gkd": (("0.11.0", "0.22.0", CHATS),),
    "ppo": (("0.12.0", "0.13.0", PADS),),
    "rloo": (("0.12.0", "0.13.0", PADS), ("0.22.0", "0.25.0", "")),
}
"""From which trl on and before which a trainer ignores a collator, and what it uses instead."""

REMEDIES = {
    CHATS: "set trainer.data_collator after the trainer is made, or upgrade trl to 0.22.0 or newer",
    PADS: "do in dataset.map what it does, so that rows have input_ids, or upgrade trl to 0.13.0",
    "": "do in dataset.map what it does",
}


def check(facts: Facts) -> Iterator[Finding]:
    values, name = passed(facts), known_trainer(facts)
    if name not in IGNORED or not values.has(KEY):
        raise NotConcerned("the script passes no data_collator, or its trainer uses it")
    trl = trl_of(facts)
    if trl is None:
        raise Unavailable("trl's release is not known, and some ignore data_collator")
    for first, last, instead in IGNORED[name]:
        if not Version(first) <= trl < Version(last):
            continue
        collator = constructed(values.values.get(KEY))
        same = collator is not None and collator.short == instead and not collator.own
        if same or any(deed.name == f"{KEY} =" for deed in values.deeds):
            return
        does = f"makes the batches with {instead}" if instead else "collates nothing"
        yield Finding(
            values.places[KEY],
            f"{TRAINERS[name].trainer} of trl {trl} ignores {KEY}: it {does}",
            remedy=REMEDIES[instead],
            severity=None if instead else "warning",
        )


OWN = (
    "def own(rows): return rows\n"
    f"class Words({CHATS}):\n    def __call__(self, rows): return rows\n"
)


def _files(trainer: str, collator: str = "own") -> dict[str, str]:
    before = f"from trl.trainer.utils import {CHATS}\n{OWN}"
    return script(trainer, f"model='m', {KEY}={collator}", before=before)


def _set_later() -> dict[str, str]:
    code = _files("GKD")["train.py"].replace("\nGKDTrainer(", "\ntrainer = GKDTrainer(")
    return {"train.py": f"{code}trainer.{KEY} = own\n"}


RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="should supply an encoding",
    examples=(
        Bad(
            _files("GKD"),
            "train.py",
            versions={"trl": "0.19.1"},
            says="GKDTrainer of trl 0.19.1 ignores data_collator: it makes the batches with "
            "DataCollatorForChatML",
        ),
        Bad(_files("RLOO"), "train.py", versions={"trl": "0.12.2"}, says="DataCollatorWithPadding"),
        Bad(
            _files("RLOO"),
            "train.py",
            versions={"trl": "0.24.0"},
            says="RLOOTrainer of trl 0.24.0 ignores data_collator: it collates nothing",
            severity="warning",
        ),
        Good(_files("GKD", f"{CHATS}('tokenizer')"), "train.py", versions={"trl": "0.19.1"}),
        Bad(_files("GKD", "Words('tokenizer')"), "train.py", versions={"trl": "0.19.1"}),
        Good(_set_later(), "train.py", versions={"trl": "0.19.1"}),
        Good(_files("GKD", "None"), "train.py", versions={"trl": "0.19.1"}),
        Good(_files("GKD"), "train.py", versions={"trl": "0.24.0"}),
        Good(_files("PPO"), "train.py", versions={"trl": "0.13.0"}),
        Good(_files("DPO"), "train.py", versions={"trl": "0.12.2"}),
    ),
)
