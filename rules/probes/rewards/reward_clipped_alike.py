"""reward_clip_range makes all rewards the same.

`reward_clip_range` of RLOO cuts each reward at its two ends. In this run even garbage gets more
than the upper end, or less than the lower one: right answers and garbage get the same reward, all
advantages are 0, and no weight moves but by the KL term. No error is raised.

Remedy: take ends between which the function gives its rewards, as `(0, 100)` for a score of 100; or
divide the score by its largest value; or leave `reward_clip_range` out.

Versions: RLOO of trl 0.22 and newer. Runs with one reward function are judged.

Seen: reproduced with RLOO of trl 0.24.0 and 1.16.0: with scores from 20 to 100 and the range -1 to
1 the gradient is 0 and no weight moves; without the range all do. The log of 1.16.0 shows nothing
of it: its `reward_std` is that of the rewards before they are cut.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.reward_words import defined, refuse_unjudged
from trl_doctor.facts.measured.rewards import rewards, weight
from trl_doctor.facts.rule import Bad, Good, Rule

from ..._recorded.rewards import FILES, RUN, TRL, answers, returned

KEY = "reward_clip_range"


def check(facts: Facts) -> Iterator[Finding]:
    match facts.run.arguments.get(KEY):
        case [(int() | float()) as low, (int() | float()) as high]:
            pass
        case _:
            raise NotConcerned("the run cuts no rewards")
    answer = facts[rewards]
    if len(answer.functions) != 1:
        raise NotConcerned("the rewards of several functions are added before they are cut")
    function = answer.functions[0]
    times = weight(facts, function)
    garbage = [value * times for value in function.garbage] if times else []
    tried = [value * times for kind, values in function.values.items() if kind != "empty"
             for value in values if value == value] if times else []  # fmt: skip
    refuse_unjudged(answer)
    for end, beyond in ((high, garbage and min(tried) > high), (low, garbage and max(tried) < low)):
        if beyond:
            yield Finding(
                facts.run.place(KEY),
                f"{KEY} is ({low:g}, {high:g}), and {function.name} gives {garbage[0]:.4g} to "
                f"garbage: it becomes {end:g}, as each reward that was tried",
                defined(function),
            )


CLIPPED: dict[str, Json] = {**RUN, "trainer": "rloo", KEY: [-1, 1]}
FILES_CLIPPED = {**FILES, "run.json": CLIPPED}
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            FILES_CLIPPED,
            versions=TRL,
            answers=answers(returned(100.0, 20.0)),
            says="reward_clip_range is (-1, 1), and mine.score gives 20 to garbage: it becomes 1",
        ),
        Bad(
            FILES_CLIPPED,
            versions=TRL,
            answers=answers(returned(-5.0, -80.0)),
            says="gives -80 to garbage: it becomes -1, as each reward that was tried",
        ),
        Good(FILES_CLIPPED, versions=TRL, answers=answers(returned(100.0, 0.0))),
        Good(FILES_CLIPPED, versions=TRL, answers=answers(returned())),
        Good(FILES, versions=TRL, answers=answers(returned(100.0, 20.0))),
        Good(
            {**FILES, "run.json": {**CLIPPED, KEY: [-1]}},
            versions=TRL,
            answers=answers(returned(100.0, 20.0)),
        ),
    ),
)
