"""Texts have the two characters `\\n` where a line should end.

A raw string (`r"…\\n…"`), a text that was escaped twice, or a CSV file with `\\n` gives the model a
backslash and an n in place of a line end. It learns to write both. The prompts of its users have
real line ends, which it has not seen there. No error is raised.

Remedy: leave out the `r` before the string, or write `text.replace("\\\\n", "\\n")` before the
training.

Versions: every trl. Reported where the texts of most rows have it and no real line end, in local
JSON files and, in a rehearsal, in the rows as the trainer gets them. `\\n` before a small letter is
left alone: it may be LaTeX (`\\neq`).

Seen: reproduced with SFT of trl 1.16.0: a raw string joins question and answer; each row of the
trainer has a backslash and an n between them.
"""

import re
from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.rows.own import data_key, file_name, own_rows
from trl_doctor.facts.rows.texts import rows_with
from trl_doctor.facts.rule import Bad, Good, Rule

from ..._recorded.rows import asking

ESCAPED = re.compile(r"\A[^\n]*?(\S{0,12}\\n(?![a-z])\S{0,12})[^\n]*\Z")
"""A text of one line that has the two characters."""


def check(facts: Facts) -> Iterator[Finding]:
    rows, having = facts[own_rows], rows_with(facts, ESCAPED)
    if len(having) > 1 and len(having) * 2 > len(rows):
        row, match = having[0]
        yield Finding(
            facts.run.place(data_key(facts)),
            f"{len(having)} of {len(rows)} rows of {file_name(facts)} have a backslash and an n "
            f"where a line should end, first row {row}: …{match[1]}…",
            remedy='write text.replace("\\\\n", "\\n"), or leave out the r of r"…"',
        )


RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            asking(r"### Question: Why?\n### Answer:"),
            says="2 of 2 rows of rows.jsonl have a backslash and an n where a line should end",
        ),
        Good(asking("### Question: Why?\n### Answer:")),
        Good(asking(r"Is x \neq y?")),
        Good(asking('Print "a\\\\n" here:\nprint()')),
    ),
)
