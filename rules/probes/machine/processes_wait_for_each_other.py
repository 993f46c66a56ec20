"""The processes of the run wait for each other forever.

Several processes trained together, and one of them took another path than the rest: all others wait
for it in a collective call. On a cluster nothing is printed until the collective times out, half an
hour later, and every GPU is paid for meanwhile.

Remedy: let every rank make the same collective calls in the same order. Do not put `if rank == 0`
around code that saves, evaluates, gathers or generates.

Versions: any.

Seen: reproduced with two processes with gloo where one returned early from a callback.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import rehearsal
from trl_doctor.facts.rule import Bad, Good, Rule

from ..._recorded.rehearsal import FILES, TRL, rehearsed


def check(facts: Facts) -> Iterator[Finding]:
    failure = facts[rehearsal].failure
    if failure is not None and failure.kind == "hang":
        yield Finding(facts.run.place(), failure.message)


SAID = "the processes wait for each other forever: rank 0 at train.py:30; rank 1 at train.py:12"
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            FILES,
            versions=TRL,
            level="rehearsal",
            answers=rehearsed(SAID, whose="candidate", kind="hang"),
            says="wait for each other forever: rank 0 at train.py:30",
        ),
        Good(FILES, versions=TRL, level="rehearsal", answers=rehearsed()),
        Good(FILES, versions=TRL, answers=rehearsed()),
    ),
)
