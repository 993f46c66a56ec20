"""The script's own schedule ends long before the run.

A schedule that the script makes counts too few steps: often those of one epoch in a run of several,
or it divides by the batch twice. From its end on the learning rate is 0. The run goes on, takes its
time, and learns nothing more. No error is raised.

Remedy: count all steps, `epochs * len(rows) // (batch * accumulation)`; or leave the schedule to
the trainer (`lr_scheduler_type`, `warmup_ratio`), which counts them itself.

Versions: every trl. Only a rehearsal of one process looks at the schedule, and only if it is one of
`torch`'s LambdaLR, as all of transformers' own are.

Seen: reproduced with SFT of trl 0.15.2: three epochs, and a linear schedule of
`len(dataset) // batch` steps; the log has learning_rate 0.0 for two thirds of the run.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import rehearsal
from trl_doctor.facts.rule import Answers, Bad, Examples, Good, Rule

SHARE = 0.25
"""Of the steps, from which on the schedule is too short."""


def check(facts: Facts) -> Iterator[Finding]:
    rows = facts[rehearsal].training_rows
    if rows is None or rows.idle_steps is None:
        raise NotConcerned("the script makes no schedule of its own that can be looked at")
    idle, steps = rows.idle_steps
    if idle <= SHARE * steps:
        return
    yield Finding(
        facts.run.place(),
        f"the learning rate is 0 in the last {idle} of {steps} steps: the script's own schedule "
        "counts too few",
    )


FILES: dict[str, Json] = {"run.json": {"trainer": "sft", "model_name_or_path": "org/m"}}
TRL = {"trl": "1.16.0"}


def examples() -> Examples:
    from trl_doctor.probes.answers.rehearse import TrainingRows

    from ..._recorded.rehearsal import rehearsed

    def given(idle_steps: tuple[int, int] | None) -> Answers:
        return rehearsed(training_rows=TrainingRows(idle_steps=idle_steps))

    says = "the learning rate is 0 in the last 16 of 24 steps"
    return (
        Bad(FILES, versions=TRL, level="rehearsal", answers=given((16, 24)), says=says),
        Good(FILES, versions=TRL, level="rehearsal", answers=given((1, 24))),
        Good(FILES, versions=TRL, level="rehearsal", answers=given(None)),
    )


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
