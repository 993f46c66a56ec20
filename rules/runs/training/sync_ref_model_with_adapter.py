"""sync_ref_model is set, and an adapter is trained.

With an adapter the trainer keeps no reference model: it turns the adapter off, or keeps a copy of
it. Nothing can be synchronised. Newer releases refuse the run when they make the trainer, after the
model was loaded; in older ones GRPO and RLOO train, and the reference never moves.

Remedy: remove `sync_ref_model`, or train the whole model.

Versions: GRPO and RLOO of trl 0.28 to 1.16, DPO of 0.29 to 1.16 and KTO of 1.8 to 1.16 refuse it.
GRPO and RLOO before 0.28 ignore it.

Seen: trl#6975. Reproduced with DPO and GRPO of trl 1.16.0: "You passed `sync_ref_model=True` while
using a PEFT model"; with GRPO of 0.19.1, and `ref_model_sync_steps` 2, three steps end. The sources
of 0.27.2, 0.28.0, 0.29.0, 1.0.0, 1.5.0, 1.8.0 and 1.12.0 show which release does what.
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.trainer import TRAINERS
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer, trl_of

KEY, ADAPTER = "sync_ref_model", "use_peft"
REFUSES = {"dpo": "0.29.0", "grpo": "0.28.0", "rloo": "0.28.0", "kto": "1.8.0"}
"""From which trl on a trainer refuses it."""

IGNORES = ("grpo", "rloo")
"""Trainers whose older releases ignore it."""


def check(facts: Facts) -> Iterator[Finding]:
    run, trl, name = facts.run, trl_of(facts), known_trainer(facts) or ""
    if name not in REFUSES or not run.flag(KEY) or not run.flag(ADAPTER):
        raise NotConcerned("the run does not synchronise a reference model, or trains no adapter")
    if trl is None:
        raise Unavailable("trl's release is not known, and older ones ignore it")
    trainer = f"{TRAINERS[name].trainer} of trl {trl}"
    said = f"{KEY} is on, and an adapter is trained"
    if trl >= Version(REFUSES[name]):
        yield Finding(run.place(KEY), f"{said}: {trainer} refuses both together")
    elif name in IGNORES:
        yield Finding(
            run.place(KEY), f"{said}: the reference of {trainer} never moves", severity="warning"
        )


DPO: dict[str, Json] = {"trainer": "dpo", KEY: True, ADAPTER: True}
GRPO: dict[str, Json] = {**DPO, "trainer": "grpo", "beta": 0.1}
NEW = {"trl": "1.16.0"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains=r"sync_ref_model=True` while using a PEFT model",
    examples=(
        Bad({"run.json": DPO}, versions=NEW, says="DPOTrainer of trl 1.16.0 refuses both"),
        Bad({"run.json": GRPO}, versions=NEW, says="GRPOTrainer of trl 1.16.0 refuses both"),
        Bad(
            {"run.json": GRPO},
            versions={"trl": "0.19.1"},
            says="the reference of GRPOTrainer of trl 0.19.1 never moves",
            severity="warning",
        ),
        Good({"run.json": {**DPO, ADAPTER: False}}, versions=NEW),
        Good({"run.json": {**DPO, KEY: False}}, versions=NEW),
        Good({"run.json": {**DPO, "trainer": "sft"}}, versions=NEW),
        Good({"run.json": DPO}, versions={"trl": "0.24.0"}),
    ),
)
