"""Empty cells have become the text "nan".

pandas reads an empty cell of a table as NaN, and `str(value)` or an f-string makes the text "nan"
of it. The model is trained on prompts like "Context: nan", and meets none of them later.

Remedy: `df = df.fillna("")` after the table is read; leave the line out where the cell is empty.

Versions: every trl. A text that is "nan", and lines that end with ": nan" or are "nan" alone, are
reported from two rows on.

Seen: reproduced with SFT of trl 1.16.0 and pandas 3.1.1: 45 of 90 prompts end with "Context: nan".
"""

import re
from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.rows.own import data_key, file_name, own_rows
from trl_doctor.facts.rows.texts import rows_with
from trl_doctor.facts.rule import Bad, Good, Rule

from ..._recorded.rows import asking

EMPTY = re.compile(r"^(?:.{1,40}: ?)?nan$", re.MULTILINE)
FEWEST = 2
"""Rows that have it, at least: one may quote it."""


def check(facts: Facts) -> Iterator[Finding]:
    rows, having = facts[own_rows], rows_with(facts, EMPTY)
    if len(having) >= FEWEST:
        row, match = having[0]
        yield Finding(
            facts.run.place(data_key(facts)),
            f"{len(having)} of {len(rows)} rows of {file_name(facts)} have the text of an empty "
            f"cell, first row {row}: {match[0]!r}",
            remedy='call df.fillna("") on the table',
        )


RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(asking("Why?\n\nContext: nan"), says="2 of 2 rows of rows.jsonl have the text of an"),
        Bad(asking("nan"), says="first row 1: 'nan'"),
        Good(asking("Why?\n\nContext: nan", 1)),
        Good(asking("Why?\n\nContext: none")),
        Good(asking("Why does `x: nan` happen?")),
        Good(asking("My nan\nis old.")),
    ),
)
