"""The log has a value that a checkpoint cannot hold.

A checkpoint has a file `trainer_state.json` with all that was logged. The script logs a tensor or
an array, which JSON does not have. The run trains until its first checkpoint and then dies with "is
not JSON serializable".

Remedy: log numbers: `self.log({"name": value.item()})`.

Versions: every transformers. Only a rehearsal sees it, and only for runs that save checkpoints.

Seen: reproduced with RewardTrainer of trl 0.15.2: TypeError at the first checkpoint; with `.item()`
the run ends.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import rehearsal
from trl_doctor.facts.rule import Bad, Examples, Good, Rule


def check(facts: Facts) -> Iterator[Finding]:
    for slip in facts[rehearsal].slips:
        if slip.what == "log is no JSON":
            name, kind = slip.words
            yield Finding(
                facts.run.place(),
                f"the script logs {name} as a {kind}: the first checkpoint fails, because its "
                "trainer_state.json cannot hold it",
                remedy="log a number: call .item()",
            )


def examples() -> Examples:
    from trl_doctor.probes.answers.rehearse import Slip

    from ..._recorded.rehearsal import FILES, TRL, rehearsed

    slip = Slip("log is no JSON", ("train_margin", "Tensor"), "train.py:30")
    return (
        Bad(
            FILES,
            versions=TRL,
            level="rehearsal",
            answers=rehearsed(slips=(slip,)),
            says="the script logs train_margin as a Tensor: the first checkpoint fails",
        ),
        Good(FILES, versions=TRL, level="rehearsal", answers=rehearsed()),
    )


RULE = Rule(doc=__doc__, severity="error", check=check, examples=examples)
