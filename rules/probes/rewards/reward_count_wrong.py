"""A reward function returns too few or too many rewards.

There must be one reward for each completion. Newer releases of TRL and PyTorch refuse any other
number at the first step. But before trl 1.10.0 a list of one number is used for all completions:
all advantages are then 0, the weights do not change, and there is no warning.

Remedy: return a list as long as `completions`.

Versions: trl 1.10.0 and newer refuse any other number. Before, one number counts for all
completions; in trl 0.15 also a number that is not in a list.

Seen: reproduced with trl 0.24.0, 0.19.1 and 0.15.2: `return [1.0]` trains with loss 0.0, grad_norm
0.0 and weights that do not move; 3 rewards for 4 completions: "The expanded size of the tensor (4)
must match the existing size (3)". trl 1.16.0: "returned 1 rewards, but 4 were expected".
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.reward_words import defined, place, refuse_unjudged
from trl_doctor.facts.measured.rewards import rewards
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import trainer
from trl_doctor.probes.answers.rewards import RewardTrial

from ..._recorded.rewards import FILES, TRL, answers, returned


def check(facts: Facts) -> Iterator[Finding]:
    answer = facts[rewards]
    for function in answer.functions:
        if function.state != "returned" or function.counted:
            continue
        returned, expected = function.trial.returned, function.trial.expected
        silent = returned in (None, 1) and not answer.measured.counts
        then = "gives it to all of them" if silent else "fails in its first step"
        yield Finding(
            place(facts, function),
            f"{function.name} returns {function.returned} for {expected} completions: "
            f"{trainer(facts)} {then}",
            defined(function),
            follows=("reward-one-for-all",),
        )
    refuse_unjudged(answer)


RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains=r"returned \d+ rewards",
    examples=(
        Bad(
            FILES,
            versions=TRL,
            answers=answers(returned(returned=1)),
            says="returns 1 reward for 8 completions: GRPOTrainer of trl 1.16.0 fails",
        ),
        Bad(
            FILES,
            versions={"trl": "0.24.0"},
            answers=answers(returned(returned=1), counts=False),
            says="returns 1 reward for 8 completions: GRPOTrainer of trl 0.24.0 gives it to all",
        ),
        Bad(
            FILES,
            versions={"trl": "0.15.2"},
            answers=answers(returned(returned=None), counts=False, none_is_nan=False),
            says="returns a single number",
        ),
        Bad(
            FILES,
            versions={"trl": "0.24.0"},
            answers=answers(returned(returned=3), counts=False),
            says="returns 3 rewards for 8 completions: GRPOTrainer of trl 0.24.0 fails",
        ),
        Good(FILES, versions=TRL, answers=answers(returned())),
        Good(
            FILES,
            versions=TRL,
            answers=answers(RewardTrial("mine.score", "took too long")),
            skipped="it takes too long",
        ),
    ),
)
