"""A reward function holds up every step.

The GPUs wait while rewards are counted: functions are called one after the other in the training
process. One that never ends (a regular expression that backtracks, a program that is run) stops the
run without an error until the launcher gives up.

Remedy: make it faster, bound what it does for one completion, or judge completions side by side;
trl 1.16.0 runs `async def` functions together.

Versions: every trl with GRPOTrainer.

Seen: ran `re.match(r"(a+)+$", …)` and `time.sleep(0.3)` a completion in the probe under trl 1.16.0,
0.24.0, 0.19.1 and 0.15.2: both are stopped and named.
"""

from collections.abc import Iterator

from trl_doctor.dry_run.rewards import Reward, Rewards, rewards
from trl_doctor.facts import Facts
from trl_doctor.finding import Finding
from trl_doctor.rule import Bad, Good, Rule

from ._rewards import FILES, TRL, answers, defined, place, returned, say_open

LONG = 30.0
"""Seconds a step that are worth a word."""


def check(facts: Facts) -> Iterator[Finding]:
    found = facts[rewards]
    for one in found.functions:
        if message := _said(one, found):
            yield Finding(place(facts, one), message, defined(one))
    say_open(found)


def _said(one: Reward, found: Rewards) -> str:
    step = f"a step has {found.completions} completions a process"
    if one.state == "took too long":
        done, seconds = one.said["done"], one.said["seconds"]
        if not done:
            return f"{one.name} did not end within {seconds:.0f} s; {step}"
        total = _all(seconds / done, found)
        return f"{one.name} took over {seconds:.0f} s for {done} completions; {step}: {total}"
    if one.state == "returned" and one.said["seconds"] * found.completions >= LONG:
        each = one.said["seconds"]
        return f"{one.name} takes {each:.2g} s a completion; {step}: {_all(each, found)}"
    return ""


def _all(each: float, found: Rewards) -> str:
    return f"{each * found.completions:.0f} s"


SLOW = {**returned(), "state": "took too long", "done": 16, "seconds": 20.0}
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
            answers=answers({**SLOW, "done": 0}),
            says="mine.score did not end within 20 s",
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
