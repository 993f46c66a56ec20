"""The first training step does not finish.

One real step on a small model was killed by a signal, or by the limit of time, memory or disk. A
crash below Python leaves no traceback, and in a job of many processes the others wait forever.

Remedy: `--keep DIR` saves the step as a script; run that with `python -X faulthandler`. If it was a
limit, raise it: `--timeout`, `--memory-limit`.

Versions: any.

Seen: reproduced with trl 1.16.0: a reward function that ends in a segmentation fault; `--timeout
1`.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.question import Answer
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rewards import rewards
from trl_doctor.facts.measured.step_failure import own_failure, repeated
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import trainer
from trl_doctor.probes.answers.step import StepAnswer

from ..._recorded.step import FILES, STEP, TRL, answered, answers, raised, well

LIMIT = "if the limit was too low for a small step, raise it: `--timeout`, `--memory-limit`"
LIMITS = ("timed out", "out of memory", "out of disk")


def check(facts: Facts) -> Iterator[Finding]:
    answer = own_failure(facts)
    if answer is None or answer.state == "raised":
        return
    limited = answer.state in LIMITS or "SIGKILL" in answer.reason
    yield Finding(
        facts.run.place(),
        f"a small step of {trainer(facts)} does not finish: {answer.reason}",
        evidence=(*_last(answer), *repeated(answer)),
        severity="warning" if limited else None,
        remedy=LIMIT if limited else "",
        follows=tuple(_rewards(facts, answer)),
    )


def _rewards(facts: Facts, answer: Answer[StepAnswer]) -> Iterator[str]:
    """The rule that names the reward function that ends its process or does not return."""
    trials = facts.get(rewards)
    states = {trial.state for trial in trials.functions} if trials else set[str]()
    if answer.state == "timed out" and "took too long" in states:
        yield "reward-takes-too-long"
    if answer.state == "died" and "ended the process" in states:
        yield "reward-raises"


def _last(answer: Answer[StepAnswer]) -> tuple[str, ...]:
    """The stack that faulthandler printed, innermost call first; else the last lines of output."""
    calls = [line.strip() for line in answer.tail if line.strip().startswith('File "')]
    return tuple([line for line in calls if "/probes/" not in line][:3] or answer.tail[-3:])


DIED = Answer(STEP, "died", reason="it was killed by SIGSEGV", tail=("Segmentation fault",))
SLOW = Answer(STEP, "timed out", reason="it took more than 300 s")
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            FILES,
            versions=TRL,
            answers=answers(DIED, well()),
            says="does not finish: it was killed by SIGSEGV",
        ),
        Bad(FILES, versions=TRL, answers=answers(SLOW), says="300 s", severity="warning"),
        Good(
            FILES,
            versions=TRL,
            answers=answers(DIED, DIED),
            skipped="a healthy model fails with the same error",
        ),
        Good(FILES, versions=TRL, answers=answers(raised("ValueError", "no"))),
        Good(FILES, versions=TRL, answers=answered()),
    ),
)
