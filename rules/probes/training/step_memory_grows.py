"""Each step holds more memory than the one before.

Memory that grows a little in three steps fills the GPU within hours: a list of losses that keep
their graphs, completions that are stored, a reward function that remembers its inputs.

Remedy: look for tensors that are kept from step to step, first in the run's own reward functions
and callbacks. `.item()` or `.detach().cpu()` releases the graph.

Versions: any; measured only with --level full, on a GPU, between the second and the third step.

Seen: not reproduced on a GPU. The rule only compares two figures of torch's allocator.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.sizes import GIB, shown
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.full import measured
from trl_doctor.facts.rule import Answers, Bad, Good, Rule

from ..._recorded.full import TRAINED, answers, steps

WORTH = 0.005
"""The share of the memory in use below which growth is normal."""


def check(facts: Facts) -> Iterator[Finding]:
    memory = facts[measured].held_after_steps
    if len(memory) < 3:
        raise Unavailable("fewer than three steps were measured on a GPU")
    grown = memory[-1] - memory[-2]
    if grown > WORTH * memory[-2]:
        yield Finding(
            facts.run.place(),
            f"after the third step {shown(memory[-1])} are in use, "
            f"{shown(grown)} more than before it",
            evidence=(f"after each step: {', '.join(map(shown, memory))}",),
        )


def grown(*memory: int) -> Answers:
    """The probes' answers with this much memory in use after each step."""
    return answers(steps(12 * GIB, memory))


RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            TRAINED,
            level="full",
            answers=grown(8 * GIB, 9 * GIB, 10 * GIB),
            says="10.0 GiB are in use, 1.0 GiB more than before it",
        ),
        Good(TRAINED, level="full", answers=grown(8 * GIB, 9 * GIB, 9 * GIB)),
        Good(TRAINED, level="full", answers=grown(), skipped="fewer than three steps"),
    ),
)
