"""All rows have the same label.

KTO and BCO learn from the difference between answers that are wanted and others. With only one kind
nothing keeps the policy near its reference: the loss of KTO stays near 0.5 while the policy moves
away from the reference.

Remedy: add rows with the other label, or train on wanted answers alone with SFT. Look at how the
labels were made: `bool("false")` is true.

Versions: every trl. Local JSON files are examined, their first 20,000 rows; in a rehearsal data
sets of at most 64 rows.

Seen: reproduced with KTO of trl 1.16.0 and 0.24.0, 30 steps on 16 rows: with the label true alone
the loss goes from 0.50 to 0.50 and the KL to 12; with both labels to 0.28 and 0.8.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import rehearsal, rehearsed
from trl_doctor.facts.rows.own import MOST, data_key, file_name, many_rows
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer

FEWEST = 8
"""The fewest rows that are judged."""


def check(facts: Facts) -> Iterator[Finding]:
    if known_trainer(facts) not in ("kto", "bco"):
        raise NotConcerned("only rows of KTO and BCO have labels")
    if rehearsed(facts) and not _all_here(facts):
        raise NotConcerned("a rehearsal has the first rows alone, which may be sorted")
    labels = [row.get("label") for row in many_rows(facts)]
    if len(labels) >= FEWEST and {*map(str, labels)} in ({"True"}, {"False"}):
        yield Finding(
            facts.run.place(data_key(facts)),
            f"the label is {str(labels[0]).lower()} in all {len(labels)} rows of "
            f"{file_name(facts)}: there is nothing to compare with",
        )


def _all_here(facts: Facts) -> bool:
    """Whether a rehearsal has all rows of the run."""
    rows = facts[rehearsal].given
    return rows is not None and rows.rows is not None and rows.rows <= MOST


KTO: dict[str, Json] = {"trainer": "kto", "dataset_name": "rows.jsonl"}
WANTED = '{"prompt": "Why?", "completion": "So.", "label": true}\n'
OTHER = WANTED.replace("true", "false")
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            {"run.json": KTO, "rows.jsonl": WANTED * 8},
            says="the label is true in all 8 rows of rows.jsonl",
        ),
        Good({"run.json": KTO, "rows.jsonl": WANTED * 80 + OTHER}),
        Good({"run.json": KTO, "rows.jsonl": WANTED * 7}),
        Good({"run.json": {**KTO, "trainer": "sft"}, "rows.jsonl": WANTED * 8}),
    ),
)
