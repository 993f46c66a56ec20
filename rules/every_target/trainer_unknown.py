"""The run file names a trainer that TRL does not have.

Everything that depends on the trainer is left unchecked: its arguments, its batches, its use of the
tokenizer.

Remedy: use the name of TRL's command line: `trainer: grpo`, `sft`, `dpo`, `kto`, `rloo`, `reward`
or `ppo`.

Versions: every release.

Seen: in run files typed by hand.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.similar import similar
from trl_doctor.core.trainer import TRAINERS, named
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.unknown import no_other_program
from trl_doctor.facts.rule import Bad, Good, Rule


def check(facts: Facts) -> Iterator[Finding]:
    stated = facts.run.arguments.get("trainer")
    if stated is None or (isinstance(stated, str) and named(stated)):
        return
    no_other_program(facts)
    if isinstance(stated, dict):
        raise Unavailable("trainer is an object: this looks like another program's file")
    if name := _other(facts, str(stated)):
        raise Unavailable(f"trl-doctor does not know {name} and cannot check its runs")
    near = similar(str(stated).lower(), TRAINERS, 1)
    hint = f"; did you mean {near[0]}?" if near else ""
    yield Finding(
        facts.run.place("trainer"), f"trainer: {stated!r:.60} is not a trainer of TRL{hint}"
    )


def _other(facts: Facts, stated: str) -> str:
    """The trainer of TRL with this name, however it is written; "" if TRL has none."""
    plain = stated.lower().replace("_", "").replace("-", "").removesuffix("trainer")
    from trl_doctor.facts.library.offered import trainer_exports

    trainers = trainer_exports(facts.environment)
    return next(
        (trainer for trainer in trainers if trainer.removesuffix("Trainer").lower() == plain), ""
    )


RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad({"run.json": {"trainer": "grpoo"}}, says="did you mean grpo?"),
        Bad({"run.json": {"trainer": ["grpo"]}}, says="is not a trainer of TRL"),
        Good({"run.json": {"trainer": {"epochs": 1}}}, skipped="another program"),
        Good({"run.json": {"trainer": "GRPOTrainer"}}),
        Good(
            {"run.json": {"trainer": "async_distillation"}},
            versions={"trl": "1.16.0"},
            skipped="trl-doctor does not know AsyncDistillationTrainer",
        ),
        Good({"run.json": {"learning_rate": 1e-6}}),
    ),
)
