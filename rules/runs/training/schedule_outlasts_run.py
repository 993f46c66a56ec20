"""The script's own schedule goes on long after the run.

A schedule that the script makes counts rows or batches, and the run takes one step for several of
them (`gradient_accumulation_steps`). The learning rate has hardly fallen when the run ends: the
last steps are as large as the first ones, and the model is worse than it would be. No error is
raised.

Remedy: count steps, `epochs * ceil(len(rows) / (batch * accumulation))`; or leave the schedule to
the trainer (`lr_scheduler_type`, `warmup_ratio`), which counts them itself.

Versions: every trl. Only a rehearsal of one process looks at the schedule, and only if it is one of
`torch`'s LambdaLR, as all of transformers' own are. Reported are schedules that reach 0 at the
number of all rows or of all batches, in runs that end with more than half of the learning rate.

Seen: reproduced with SFT of trl 1.16.0: `len(dataset) // batch` steps and 8 accumulated batches;
the log ends with 97 % of the learning rate.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings
from trl_doctor.facts.rule import Examples, Rule

MESSAGE = (
    "with the rows of the rehearsal the script's own schedule ends at step {0}, and the run after "
    "{1} steps: it counts rows or batches, and the learning rate hardly falls"
)


def check(facts: Facts) -> Iterator[Finding]:
    yield from mistake_findings(facts, {"schedule too long": MESSAGE})


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake

    says = "schedule ends at step 130, and the run after 17 steps"
    return mistake("schedule too long", ("130", "17"), "train.py:30", says), no_mistake()


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
