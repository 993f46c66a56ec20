"""An environment pays more for no action than for a wrong one.

A reward reads what the environment has kept. `reset` sets it to 0, and a wrong answer sets it to
-1. A completion that calls no tool keeps the 0: in its group it has a better reward than those that
have tried and failed. Where right answers are rare GRPO learns to call no tool.

Remedy: set it to None in `reset` and let the reward return that: such a completion is then not
counted. Or set it to the value of a wrong answer.

Versions: trl 0.29.0 and newer, which have `environment_factory`. Attributes with `reward`, `score`
or `points` in their names are looked at.

Seen: trl#6427. Reproduced with GRPO of trl 1.16.0: the model of the proofs calls no tool, and each
of its completions has the 0; with None none has a reward of the environment.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.script.kept_by_environments import idle_and_worst
from trl_doctor.facts.script.tools import ENVIRONMENTS, given

from .._recorded.scripts import script


def check(facts: Facts) -> Iterator[Finding]:
    places = given(facts)
    if ENVIRONMENTS not in places:
        raise NotConcerned("the run has no environments")
    for kept in idle_and_worst(facts):
        yield Finding(
            places[ENVIRONMENTS],
            f"{kept.of}.reset sets {kept.name} to {kept.idle:g} (line {kept.line}), and "
            f"{kept.method} sets it to {kept.worst:g}: a completion that calls no tool is worth "
            "more than one that fails",
            remedy=f"set self.{kept.name} to None in reset, and return that as the reward",
        )


QUIZ = """\
class Quiz:
    def reset(self, **kwargs):
        self.reward = 0.0
    def submit(self, answer: int) -> str:
        self.reward = 1.0 if answer == 42 else -1.0
        return "done"
def outcome(environments, **kwargs):
    return [environment.reward for environment in environments]
"""
GIVEN = "reward_funcs=outcome, environment_factory=Quiz"
TRL = {"trl": "1.16.0"}
SAYS = "Quiz.reset sets reward to 0 (line 6), and submit sets it to -1: a completion that calls no"


def _changed(before: str, after: str) -> dict[str, str]:
    return script("GRPO", GIVEN, before=QUIZ.replace(before, after))


RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(script("GRPO", GIVEN, before=QUIZ), "train.py", versions=TRL, says=SAYS),
        Bad(
            script(
                "GRPO",
                "reward_funcs=outcome, environment_factory={'quiz': Quiz}",
                before=QUIZ,
            ),
            "train.py",
            versions=TRL,
            says=SAYS,
        ),
        Good(_changed("self.reward = 0.0", "self.reward = None"), "train.py", versions=TRL),
        Good(_changed("self.reward = 0.0", "self.reward = -1"), "train.py", versions=TRL),
        Good(_changed("else -1.0", "else 0.0"), "train.py", versions=TRL),
        Good(_changed("environment.reward for", "environment.score for"), "train.py", versions=TRL),
        Good(script("GRPO", "reward_funcs=len"), "train.py", versions=TRL),
    ),
)
