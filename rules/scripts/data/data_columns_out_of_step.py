"""Questions and answers no longer belong together.

The script makes two lists from the same rows, shuffles, sorts or filters one of them, and pairs
them again with `zip` or as columns. From the first change on each question has the answer of
another row. The run trains on wrong pairs; no error is raised, for `zip` ends with the shorter
list.

Remedy: pair first, then shuffle or filter the pairs; or use the methods of the data set, which move
whole rows. `zip(…, strict=True)` raises an error where the lists differ in length.

Versions: any. Lists that the script gives another value later are left alone, two lists that are
both changed, and answers that shall be wrong ones (`rejected`, `negatives`).

Seen: reproduced with SFT of trl 1.16.0: `random.shuffle(questions)` alone, and a list of questions
with a condition beside a list of all answers.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.plain import excerpt
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.script.syntax.pairing import lists_apart

from ..._recorded.scripts import script


def check(facts: Facts) -> Iterator[Finding]:
    for pair in facts[lists_apart]:
        yield Finding(
            pair.place,
            f"{pair.changed} is {pair.how} and {pair.other} is not, before they are paired: values "
            "of different rows come together",
            (f"paired by {excerpt(pair.together)}",),
            remedy=f"pair {pair.changed} and {pair.other} first, then change the pairs",
        )


def _lists(*lines: str, condition: str = "") -> dict[str, str]:
    before = (
        "import random\nfrom datasets import Dataset\n"
        f"asked = [row['q'] for row in rows{condition}]\n"
        "answers = [row['a'] for row in rows]\n"
    ) + "\n".join(lines)
    return script("SFT", "model='org/m'", before=before + "\n")


ZIP = "pairs = [{'prompt': q, 'completion': a} for q, a in zip(asked, answers)]"
COLUMNS = "rows = Dataset.from_dict({'prompt': asked, 'completion': answers})"
WRONG = "wrong = [row['a'] for row in rows]"
DERIVED = (
    "rows = Dataset.from_dict({'prompt': list(asked), 'completion': [' ' + a for a in answers]})"
)
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            _lists("random.shuffle(asked)", ZIP),
            "train.py",
            says="asked is shuffled and answers is not, before they are paired: values of",
        ),
        Bad(
            _lists("random.shuffle(asked)", DERIVED),
            "train.py",
            says="asked is shuffled and answers is not",
        ),
        Bad(_lists("answers.sort()", COLUMNS), "train.py", says="answers is sorted and asked is"),
        Bad(
            _lists(ZIP, condition=" if row['q']"),
            "train.py",
            says="asked is filtered and answers is not",
        ),
        Good(_lists(ZIP, "random.shuffle(pairs)"), "train.py"),
        Good(_lists(ZIP, "random.shuffle(asked)"), "train.py"),
        Good(_lists("random.shuffle(asked)", "random.shuffle(answers)", ZIP), "train.py"),
        Good(_lists(COLUMNS), "train.py"),
        Good(
            _lists(WRONG, "random.shuffle(wrong)", "list(zip(asked, answers, wrong))"), "train.py"
        ),
        Good(
            _lists("random.shuffle(answers)", "{'prompt': asked, 'rejected': answers}"), "train.py"
        ),
    ),
)
