r"""A reward function reads a part of a number.

A regular expression of the function stops inside a number, or begins in it. `Reward:\s*([0-1])`
reads 1 of the verdict "Reward: 10", `\d.[\d,]+` reads 3.20 of 13.20, because its dot is any
character. The best answers get little, right answers get nothing, and no error is raised.

Remedy: let the expression take all digits, `-?\d[\d,]*(?:\.\d+)?`, and compare what it read.

Versions: every trl with GRPOTrainer or RLOOTrainer. Only a rehearsal sees it. It tries the
function's own expressions on the right answers of the rows that are numbers, and watches what is
read in other texts than the completions, for example in the answer of a judge. Expressions that
look at what stands beside a match, and several matches that share a number, are left alone.

Seen: ms-swift#10163, finchain#3. Reproduced with GRPO of trl 1.16.0 and 0.24.0.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings
from trl_doctor.facts.rule import Examples, Rule

WHAT = "number cut"
MESSAGES = {
    WHAT: "{0} reads {2!r} of the number {3!r}: its regular expression {1!r} takes a part of it"
}


def check(facts: Facts) -> Iterator[Finding]:
    remedy = r"take all digits of the number, for example with -?\d[\d,]*(?:\.\d+)?"
    yield from mistake_findings(facts, MESSAGES, remedy=remedy)


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake

    says = "judge_reward reads '1' of the number '10': its regular expression"
    words = ("judge_reward", r"Reward: ([0-1])", "1", "10")
    return (mistake(WHAT, words, "train.py:12", says), no_mistake())


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
