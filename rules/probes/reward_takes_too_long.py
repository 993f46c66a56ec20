"""A reward function holds up every step.

The GPUs wait while rewards are counted: functions are called one after the other in the training
process. One that never ends (a regular expression that backtracks, a program that is run) stops the
run without an error until the launcher gives up.

Remedy: make it faster, bound what it does for one completion, or judge completions side by side;
trl 1.16.0 runs `async def` functions together.

Versions: every trl with GRPOTrainer.

Seen: ran `re.match(r"(a+)+$", …)` and `time.sleep(0.3)` a completion in the probe under trl 1.16.0,
0.24.0, 0.19.1 and 0.15.2, and C code that never gives the interpreter back: all are stopped and
named.
"""

from collections.abc import Iterator
from dataclasses import replace

from trl_doctor.core.finding import Finding, Severity
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.reward_words import at, defined, place, say_open
from trl_doctor.facts.measured.rewards import Reward, Rewards, rewards
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.probes.answers.rewards import RewardTrial

from .._recorded.rewards import FILES, TRL, answers, returned

LONG = 30.0
"""Seconds a step that are worth a word."""

ENOUGH = 10.0
"""Seconds in which a function could have shown what it does."""


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
    say_open(replace(found, functions=tuple(judged)))


def _endless(facts: Facts, found: Rewards, one: Reward) -> Finding:
    """It did not return in the time that the probe had for it."""
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
            f"completion{'s' if given > 1 else ''}: whether it ever does is not known"
        )
    severity: Severity | None = None if seconds >= ENOUGH else "note"
    return Finding(place(facts, one), message, (*_stood(one), *defined(one)), severity=severity)


def _stood(one: Reward) -> Iterator[str]:
    """The line of the run's own code that it had come to."""
    if one.trial.at:
        file, line, name, source = one.trial.at
        yield f"it stood at {at(file, line)} in {name}: {source:.200}"


def _step(found: Rewards, each: float) -> str:
    """What a step takes, where a completion takes that many seconds."""
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
