"""A callback ends the training at its first steps.

A callback sets `control.should_training_stop` where it should not: in each call and not under its
condition, or under one that is true from the beginning (a loss below 100, a comparison the wrong
way round). The run ends without an error after a few steps, and its model is saved as if it were
trained.

Remedy: look at the condition under which the callback sets `should_training_stop`.

Versions: every transformers. Only a rehearsal sees it; it takes two steps. Callbacks of
transformers and TRL, such as `EarlyStoppingCallback`, are not reported.

Seen: reproduced with SFT of trl 1.16.0: a line of `on_log` that is indented too little ends a run
of 30 steps after the first one.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings
from trl_doctor.facts.rule import Examples, Rule

MESSAGE = (
    "the training at {place} ended after step {1} of the {2} that the rehearsal takes: the "
    "callback {0} set should_training_stop"
)
REMEDY = "look at the condition under which the callback sets should_training_stop"


def check(facts: Facts) -> Iterator[Finding]:
    yield from mistake_findings(facts, {"ended by callback": MESSAGE}, remedy=REMEDY)


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake

    says = "the training at train.py:30 ended after step 1 of the 2 that the rehearsal takes"
    words = ("StopAtLowLoss", "1", "2")
    return mistake("ended by callback", words, "train.py:30", says), no_mistake()


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
