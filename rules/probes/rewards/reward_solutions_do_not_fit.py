"""Solutions of the rows are cut before their answer.

The rows have worked solutions that end with the right answer. Nearly all have more tokens than
`max_completion_length`, and the reward function pays for a whole solution and gives its beginning,
as far as the limit goes, what it gives to garbage. A model that solves the rows in this way is cut
off before its answer: all of its completions get the same reward, and it learns nothing. No error
is raised; `completions/clipped_ratio` is near 1.

Remedy: raise `max_completion_length` above the longest solutions, in tokens. The default was 256
tokens for years.

Versions: GRPO and RLOO of every release. Only a rehearsal sees it, with the run's own tokenizer. If
the script sets the limit itself, only the column of the right answers counts: other solutions may
be those of a larger model. Prompts that ask for a short answer are left alone.

Seen: trl#5697, where 256 tokens cut nearly all completions. Reproduced with GRPO of trl 1.16.0 and
0.24.0: whole solutions get 1.0, and as far as the limit goes they get 0.0.
"""

from collections.abc import Iterator
from dataclasses import replace

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.reward_words import defined, refuse_unjudged
from trl_doctor.facts.measured.rewards import rewards, weighed
from trl_doctor.facts.rows.sizes import REFERENCES
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.probes.answers.rewards import CutSolutions

from ..._recorded.rewards import FILES, TRL, answers, returned

KEY = "max_completion_length"


def check(facts: Facts) -> Iterator[Finding]:
    answer = facts[rewards]
    for function in weighed(facts):
        solutions = function.trial.solutions
        if not function.counted or solutions is None or _is_told(solutions):
            continue
        given = KEY in facts.run.arguments
        yield Finding(
            facts.run.place(*([KEY] if given else [])),
            f"{KEY} is {solutions.limit}{'' if given else ' by default'}: it cuts "
            f"{solutions.cut} of {solutions.tried} solutions in {solutions.column} before what "
            f"{function.name} pays for",
            (
                f"the middle one has {solutions.tokens} tokens; each gets a reward as a whole, "
                "and what garbage gets as far as the limit goes",
                *defined(function),
            ),
        )
        break
    refuse_unjudged(answer)


def _is_told(solutions: CutSolutions) -> bool:
    """Whether argument-completion-limit-cuts-answers says it: it counts the words."""
    return solutions.words > solutions.limit and solutions.column in REFERENCES


CUT = replace(returned(), solutions=CutSolutions("r1_solution", 256, 40, 39, 311, 190))
LONG = replace(returned(), solutions=CutSolutions("solution", 256, 40, 39, 511, 300))
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            FILES,
            versions=TRL,
            answers=answers(CUT),
            says="max_completion_length is 256 by default: it cuts 39 of 40 solutions in "
            "r1_solution before what mine.score pays for",
        ),
        Good(FILES, versions=TRL, answers=answers(LONG)),
        Good(FILES, versions=TRL, answers=answers(returned())),
    ),
)
