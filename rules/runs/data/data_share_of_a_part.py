"""A share of all rows is used on a part of them.

The script splits off one part, and then splits the rest again. The numbers that it names are shares
of all rows, but one of the two steps counts them otherwise: with 85 % to train on and 10 % to
validate on, `test_size=1 - train_ratio` takes 15 % away, and the 10 % go from what is left. The run
trains on fewer rows than the script says, here 76 %. There is no error.

Remedy: first split off what is left over, `test_size=1 - train_ratio - val_ratio`, and then
`val_ratio / (train_ratio + val_ratio)` of the rest.

Versions: every release of datasets. Only a rehearsal sees it: a part of `train_test_split`, made by
a number that has a name, is split again with a share that is computed, and a variable with `train`
in its name has another number than the share of all rows that is left. Numbers that are used as
they are may be meant for the part, and are not reported.

Seen: A1.5_Smart_Contract_Bytecode_To_Code_Generator#11. Reproduced with SFT of trl 1.16.0 and
0.24.0: 75 of 100 rows are trained on.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings
from trl_doctor.facts.rule import Examples, Rule

WHAT = "share of a part"
MESSAGES = {
    WHAT: "{0} is {1}, and the second split at {place} leaves {2} of all rows to train on: one of "
    "the two ratios is of a part"
}


def check(facts: Facts) -> Iterator[Finding]:
    remedy = "take away what is left over first: test_size=1 - train_ratio - val_ratio"
    yield from mistake_findings(facts, MESSAGES, remedy=remedy)


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake

    says = "train_ratio is 0.85, and the second split at train.py:16 leaves 0.76 of all rows"
    return (mistake(WHAT, ("train_ratio", "0.85", "0.76"), "train.py:16", says), no_mistake())


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
