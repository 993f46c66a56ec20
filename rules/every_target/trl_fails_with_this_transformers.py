"""These releases of trl and transformers cannot be combined.

No metadata forbids the pair, so pip installs it. It fails when trl is imported or at the first
step, after the models were loaded.

Remedy: install the releases that the finding names.

Versions: by pair. The rule reports nothing about a pair that ran, or whose neighbours differ.

Seen: one GRPO step of a tiny model in 124 pairs of 27 releases of trl (0.14.0 to 1.16.0) with 16
of transformers (4.46.3 to 5.23.0): 84 ran. rl-swarm#304 and unsloth#7854 are among the others. With
trl 0.24.0 to 0.28.0 and transformers 5.23.0 GRPO, RLOO and DPO do not import; SFT, KTO, PPO and the
reward trainer do. trl 1.15.0 fails wherever triton is missing; that is a problem of the
installation, not of the run.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.unknown import no_other_program
from trl_doctor.facts.library.pairs import failure
from trl_doctor.facts.rule import Bad, Good, Rule

from .._recorded.candidate import RUN

ONLY_WITHOUT_TRITON = "no-triton"


def check(facts: Facts) -> Iterator[Finding]:
    no_other_program(facts)
    known = facts.environment.known_version
    trl, transformers = known("trl"), known("transformers")
    trainer, pair = facts.run.trainer, failure(trl, transformers)
    if pair is None:
        return
    if isinstance(trainer, Unavailable):
        raise trainer
    if pair.trainers and trainer.name not in pair.trainers:
        return
    if pair.name == ONLY_WITHOUT_TRITON and not _lacks_triton(facts):
        return
    outcome = (
        "failed in our tests" if pair.seen else ("is surrounded by pairs that failed in our tests")
    )
    yield Finding(
        facts.run.place(),
        f"trl {trl} with transformers {transformers} {outcome}: {pair.error}",
        evidence=(f"it fails at {pair.when}: {pair.why}",),
        severity=None if pair.seen and pair.name != ONLY_WITHOUT_TRITON else "warning",
        remedy=pair.remedy,
        follows=("environment-cannot-train",),
    )


def _lacks_triton(facts: Facts) -> bool:
    return facts.environment.installed("torch") and not facts.environment.installed("triton")


TRAINED = {"run.json": RUN}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            TRAINED,
            versions={"trl": "0.15.2", "transformers": "4.53.3"},
            says="_get_train_sampler() takes 1 positional argument but 2 were given",
        ),
        Bad(
            TRAINED,
            versions={"trl": "0.28.0", "transformers": "5.3.0"},
            says="trl 0.28.0 with transformers 5.3.0 failed in our tests",
        ),
        Bad(
            TRAINED,
            versions={"trl": "0.27.0", "transformers": "5.15.0"},
            says="is surrounded by pairs that failed in our tests",
            severity="warning",
        ),
        Good(TRAINED, versions={"trl": "0.28.0", "transformers": "5.2.0"}),
        Good(TRAINED, versions={"trl": "1.16.0", "transformers": "5.23.0"}),
        Good(
            {"run.json": {**RUN, "trainer": "sft"}},
            versions={"trl": "0.28.0", "transformers": "5.3.0"},
        ),
        Good(TRAINED, versions={"trl": "1.15.0", "transformers": "5.23.0"}),
        Good(TRAINED, versions={"trl": "1.16.0"}, skipped="the version of transformers"),
    ),
)
