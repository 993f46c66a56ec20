"""A reward function delays every step.

The GPUs wait while rewards are computed: functions are called one after the other in the training
process. A function that never ends (a regular expression that backtracks, a program that it runs)
stops the run without an error until the launcher gives up.

Remedy: make it faster, limit the work for one completion, or judge completions in parallel; trl
1.16.0 runs `async def` functions concurrently.

Versions: every trl with GRPOTrainer.

Seen: reproduced with `re.match(r"(a+)+$", …)` and `time.sleep(0.3)` a completion in the probe under
trl 1.16.0, 0.24.0, 0.19.1 and 0.15.2, and C code that never releases the interpreter: all are
stopped and named.
"""

from collections.abc import Iterator
from dataclasses import replace

from msgspec import structs

from trl_doctor.core.finding import Finding, Severity
from trl_doctor.core.plain import excerpt
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.reward_words import at, defined, place, refuse_unjudged
from trl_doctor.facts.measured.rewards import Reward, Rewards, rewards
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.probes.answers.rewards import RewardTrial

from ..._recorded.rewards import FILES, TRL, answers, returned

LONG = 30.0
"""Seconds a step from which on the delay is reported."""

ENOUGH = 10.0
"""Seconds after which a function without a result is reported."""


def check(facts: Facts) -> Iterator[Finding]:
    answer = facts[rewards]
    for function in answer.functions:
        if function.state == "took too long":
            yield _endless(facts, answer, function)
        elif function.state == "returned" and function.trial.seconds * answer.completions >= LONG:
            each = function.trial.seconds
            message = f"{function.name} takes {each:.2g} s per completion; {_step(answer, each)}"
            yield Finding(place(facts, function), message, defined(function))
    judged = [function for function in answer.functions if function.state != "took too long"]
    refuse_unjudged(structs.replace(answer, functions=tuple(judged)))


def _endless(facts: Facts, answer: Rewards, function: Reward) -> Finding:
    """The function did not return within the time limit of the probe."""
    seconds = function.trial.seconds
    if function.trial.importing:
        message = f"{function.name}: importing it does not end within {seconds:g} s"
    elif completions := function.trial.done:
        total = _step(answer, seconds / completions)
        message = f"{function.name} took over {seconds:g} s for {completions} completions; {total}"
    else:
        count = function.trial.given
        message = (
            f"{function.name} did not return within {seconds:g} s from its first call, "
            f"with {count} "
            f"completion{'s' if count > 1 else ''}: whether it would ever return is not known"
        )
    severity: Severity | None = None if seconds >= ENOUGH else "note"
    return Finding(
        place(facts, function), message, (*_stood(function), *defined(function)), severity=severity
    )


def _stood(function: Reward) -> Iterator[str]:
    """The line of the run's own code at which it was stopped."""
    if function.trial.at:
        file, line, name, source = function.trial.at
        yield f"it was at {at(file, line)} in {name}: {excerpt(source, 200)}"


def _step(answer: Rewards, each: float) -> str:
    """The time of a step if a completion takes that many seconds."""
    number = answer.completions
    return f"a step has {number} completions per process: {each * number:.0f} s"


SLOW = returned(state="took too long", done=16, given=8, seconds=20.0)
STOOD = replace(SLOW, done=0, at=("/run/mine.py", 5, "score", "while True:"))
IMPORTING = RewardTrial("mine.score", "took too long", importing=True, seconds=20.0)
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            FILES,
            versions=TRL,
            answers=answers(SLOW),
            says="took over 20 s for 16 completions; a step has 8 completions per process: 10 s",
        ),
        Bad(
            FILES,
            versions=TRL,
            answers=answers(STOOD),
            says="mine.score did not return within 20 s from its first call, with 8 completions",
        ),
        Bad(
            FILES,
            versions=TRL,
            answers=answers(replace(STOOD, seconds=0.5)),
            says="did not return within 0.5 s",
            severity="note",
        ),
        Bad(
            FILES,
            versions=TRL,
            answers=answers(IMPORTING),
            says="mine.score: importing it does not end within 20 s",
        ),
        Bad(
            FILES,
            versions=TRL,
            answers=answers(returned(seconds=4.0)),
            says="mine.score takes 4 s per completion; a step has 8 completions per process: 32 s",
        ),
        Good(FILES, versions=TRL, answers=answers(returned())),
    ),
)
