"""A reward is infinite or not a number.

An infinite reward makes every advantage of its group NaN or infinite: the loss and then all weights
become NaN, and the run is lost. If the release replaces such advantages by 0, the whole group
teaches nothing. A NaN has the same effect unless the release treats it as None.

Remedy: return a finite number: clip the reward, and return 0.0 if the function would divide by zero
or take the logarithm of zero. Return None to leave a completion out, if the release allows it.

Versions: GRPOTrainer of trl 1.16.0 loses the group, as long as it scales rewards; RLOOTrainer and
trl 0.24.0 and older lose the run. The rule tests the installed release.

Seen: reproduced with one -inf among four rewards: trl 0.24.0, 0.19.1 and 0.15.2 fail in the second
step ("probability tensor contains either `inf`, `nan`"), as does RLOO in trl 1.16.0; GRPO there
does not move the weights. One NaN: the same in 0.15.2; as None from 0.19.1 on.
"""

import math
from collections.abc import Iterator
from itertools import chain

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.reward_words import defined, kinds, place, refuse_unjudged
from trl_doctor.facts.measured.rewards import Reward, Rewards, rewards
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import trainer

from ..._recorded.rewards import FILES, RUN, TRL, answers, returned


def check(facts: Facts) -> Iterator[Finding]:
    answer = facts[rewards]
    for function in answer.functions:
        if function.counted and (finding := _judged(facts, answer, function)):
            yield finding
    refuse_unjudged(answer)


def _judged(facts: Facts, answer: Rewards, function: Reward) -> Finding | None:
    infinite = [kind for kind, values in function.values.items() if any(map(math.isinf, values))]
    nan = [kind for kind, values in function.values.items() if any(map(math.isnan, values))]
    if infinite:
        fatal, value, on = not _become_zero(facts, answer), "an infinite reward", infinite
        then = "the weights become NaN" if fatal else "the whole group teaches nothing"
    elif nan and not function.trial.none:
        fatal, value, on = not answer.measured.none_is_nan, "NaN", nan
        then = (
            "the weights become NaN" if fatal else ("it counts as None: the completion is left out")
        )
    else:
        return None
    always = len(on) == len(function.values) and not any(
        map(math.isfinite, chain(*function.values.values()))
    )
    where = "to every completion" if always else f"(on: {kinds(on)})"
    return Finding(
        place(facts, function),
        f"{function.name} gives {value} {where}: in {trainer(facts)} {then}",
        defined(function),
        severity=None if fatal and answer.measured.rows else "warning",
    )


def _become_zero(facts: Facts, answer: Rewards) -> bool:
    """Whether the advantages of a group with an infinite reward become 0 instead of huge."""
    trainer = facts.run.trainer
    grouped = not isinstance(trainer, Unavailable) and trainer.name == "grpo"
    scaled = str(facts.run.arguments.get("scale_rewards")).lower() not in ("none", "false")
    unsaid = facts.run.arguments.get("scale_rewards") is None
    return answer.measured.replaces_nan and grouped and (scaled or unsaid)


INFINITE = returned(garbage=-math.inf)
NAN = returned(garbage=math.nan)
ONLY_NAN = returned(gold=math.nan, garbage=math.nan)
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            FILES,
            versions={"trl": "0.24.0"},
            answers=answers(INFINITE, replaces_nan=False),
            says="an infinite reward (on: garbage, empty): in GRPOTrainer of trl 0.24.0 the",
        ),
        Bad(
            FILES,
            versions=TRL,
            answers=answers(INFINITE),
            says="the whole group teaches nothing",
            severity="warning",
        ),
        Bad(
            {**FILES, "run.json": {**RUN, "trainer": "rloo"}},
            versions=TRL,
            answers=answers(INFINITE),
            says="in RLOOTrainer of trl 1.16.0 the weights become NaN",
        ),
        Bad(
            FILES,
            versions={"trl": "0.15.2"},
            answers=answers(NAN, replaces_nan=False, none_is_nan=False),
            says="gives NaN (on: garbage, empty)",
        ),
        Bad(
            FILES,
            versions=TRL,
            answers=answers(NAN),
            says="it counts as None",
            severity="warning",
        ),
        Bad(
            FILES,
            versions={"trl": "0.15.2"},
            answers=answers(ONLY_NAN, replaces_nan=False, none_is_nan=False),
            says="gives NaN to every completion: in GRPOTrainer of trl 0.15.2 the weights",
        ),
        Good(FILES, versions=TRL, answers=answers(returned(garbage=math.nan, none=4))),
        Good(FILES, versions=TRL, answers=answers(returned())),
    ),
)
