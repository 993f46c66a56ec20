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

from trl_doctor.core.finding import Finding, Severity
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.reward_words import at, defined, place, refuse_unjudged
from trl_doctor.facts.measured.rewards import Reward, Rewards, rewards
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.probes.answers.rewards import RewardTrial

from .._recorded.rewards import FILES, TRL, answers, returned

LONG = 30.0
"""Seconds a step from which on the delay is reported."""

ENOUGH = 10.0
"""Seconds after which a function without a result is reported."""


def check(facts: Facts) -> Iterator[Finding]:
    found = facts[rewards]
    for one in found.functions:
        if one.state == "took too long":
            yield _endless(facts, found, one)
        elif one.state == "returned" and one.trial.seconds * found.completions >= LONG:
            each = one.trial.seconds
            message = f"{one.name} takes {each:.2g} s a completion; {_step(found, each)}"
            yield Finding(place(facts, one), message, defined(one))
    judged = [one for one in found.functions if one.state != "took too long"]
    refuse_unjudged(replace(found, functions=tuple(judged)))


def _endless(facts: Facts, found: Rewards, one: Reward) -> Finding:
    """The function did not return within the time limit of the probe."""
    seconds = one.trial.seconds
    if one.trial.importing:
        message = f"{one.name}: importing it does not end within {seconds:g} s"
    elif done := one.trial.done:
        total = _step(found, seconds / done)
        message = f"{one.name} took over {seconds:g} s for {done} completions; {total}"
    else:
        given = one.trial.given
        message = (
            f"{one.name} did not return within {seconds:g} s from its first call, with {given} "
            f"completion{'s' if given > 1 else ''}: whether it would ever return is not known"
        )
    severity: Severity | None = None if seconds >= ENOUGH else "note"
    return Finding(place(facts, one), message, (*_stood(one), *defined(one)), severity=severity)


def _stood(one: Reward) -> Iterator[str]:
    """The line of the run's own code at which it was stopped."""
    if one.trial.at:
        file, line, name, source = one.trial.at
        yield f"it was at {at(file, line)} in {name}: {source:.200}"


def _step(found: Rewards, each: float) -> str:
    """The time of a step if a completion takes that many seconds."""
    number = found.completions
    return f"a step has {number} completions a process: {each * number:.0f} s"


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
            says="took over 20 s for 16 completions; a step has 8 completions a process: 10 s",
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
            says="mine.score takes 4 s a completion; a step has 8 completions a process: 32 s",
        ),
        Good(FILES, versions=TRL, answers=answers(returned())),
    ),
)
