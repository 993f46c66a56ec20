"""The step was not taken with the run's own rows.

The rows could not be used in a small step, so that made ones were trained on. What the step shows
of rows (labels, lengths, rewards) is not shown of yours.

Remedy: have rows of at most 8000 characters among the first 64, in a file of JSON rows.

Versions: any.

Seen: rows that are all longer than a small model's context.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.step import stepped
from trl_doctor.facts.own_rows import named_by
from trl_doctor.facts.rule import Bad, Good, Rule

from .._recorded.step import FILES, TRL, answered


def check(facts: Facts) -> Iterator[Finding]:
    key = named_by(facts)
    why = facts[stepped].rows_why
    if why:
        yield Finding(
            facts.run.place(key),
            f"{why}: the step was taken with made rows",
            follows=("data-rows-unreadable", "data-lacks-columns"),
        )


DATA = {**FILES, "run.json": {**FILES["run.json"], "dataset_name": "rows.jsonl"}}
LONG = {"rows_from": "made", "rows_why": "the rows of rows.jsonl are too long for a small step"}
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(DATA, versions=TRL, answers=answered(**LONG), says="too long for a small step"),
        Good(DATA, versions=TRL, answers=answered()),
        Good(FILES, versions=TRL, answers=answered(rows_from="made", rows_why="")),
    ),
)
