"""A row is made of other rows of its batch.

`map(…, batched=True)` gives a function the columns of many rows at once. A function that reads
`batch["question"][0]` in its loop gives every row the question of the first one. The texts of the
rows are then wrong, and no error is raised.

Remedy: go through the columns together: `for q, a in zip(batch["question"], batch["answer"])`.

Versions: every release of datasets. Only a rehearsal sees it: it gives the function two of the rows
alone, twice each. Functions that return another number of rows, get the index of a row, or give one
row different texts each time are not judged.

Seen: reproduced with SFT of trl 1.16.0 and datasets 5.2.0: 36 rows get 12 different prompts; with
`zip` 36.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import rehearsal
from trl_doctor.facts.rule import Bad, Examples, Good, Rule


def check(facts: Facts) -> Iterator[Finding]:
    for slip in facts[rehearsal].slips:
        if slip.what == "mixed rows":
            yield Finding(
                facts.run.place(),
                f"the function of map at {slip.place} gives {slip.words[0]} another value if it "
                "gets the row alone: it reads other rows of the batch",
            )


def examples() -> Examples:
    from trl_doctor.probes.answers.rehearse import Slip

    from ..._recorded.rehearsal import FILES, TRL, rehearsed

    slip = Slip("mixed rows", ("prompt",), "train.py:12")
    return (
        Bad(
            FILES,
            versions=TRL,
            level="rehearsal",
            answers=rehearsed(slips=(slip,)),
            says="the function of map at train.py:12 gives prompt another value",
        ),
        Good(FILES, versions=TRL, level="rehearsal", answers=rehearsed()),
    )


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
