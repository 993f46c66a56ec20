"""Calls of tools have the arguments of other tools, as null.

A data set gives all cells of a column one form. The calls `{"city": "Oslo"}` and `{"x": 1}` become
`{"city": "Oslo", "x": null}` and `{"city": null, "x": 1}`. The template writes them so, and the
model learns to call each tool with the arguments of all tools.

Remedy: leave out what is None before the messages are rendered: `{key: value for key, value in
arguments.items() if value is not None}`. Or keep the arguments in the file as a text of JSON, and
parse it in the function that renders them.

Versions: any; only a rehearsal sees it, in texts that have calls as JSON. At least two rows have a
call with null for an argument that no call of this tool has a value for, and calls of others do.

Seen: axolotl#2909. Reproduced with SFT of trl 0.24.0 and datasets 5.0.1: `move` is trained with
`"theta": null`; with the remedy it is not.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings
from trl_doctor.facts.rule import Examples, Rule

MESSAGE = (
    "{2} rows are trained on a call with null for an argument of another tool: the first calls {0} "
    "with {1!r}: null"
)
REMEDY = "leave out the arguments that are None before the messages are rendered"


def check(facts: Facts) -> Iterator[Finding]:
    yield from mistake_findings(facts, {"calls merged": MESSAGE}, remedy=REMEDY)


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake

    says = "4 rows are trained on a call with null for an argument of another tool: the first calls"
    return (mistake("calls merged", ("move", "x", "4"), "train.py:9", says), no_mistake())


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
