"""All rows of one label come before those of the other.

KTO reads the rows in their order: each row is compared with its neighbours, so the trainer does not
shuffle them. If the rows are sorted by their label, the model first learns from wanted answers
alone, for many steps, and then unlearns from the others. The rewards of both kinds are never in one
batch, and the log shows no margin.

Remedy: shuffle the rows before the trainer gets them: `dataset.shuffle(seed=42)`.

Versions: KTO of every trl. Local JSON files are examined, their first 20,000 rows, and in a
rehearsal the rows that the trainer gets.

Seen: axolotl#2040. Reproduced with KTO of trl 1.16.0 on rows that `concatenate_datasets` joined:
each batch has one label alone, and the log has no `rewards/margins`; shuffled, they have both.
"""

from collections.abc import Iterator
from itertools import groupby

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rows.own import data_key, file_name, many_rows
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer
from trl_doctor.facts.script.passed import chain

from ..._recorded.scripts import LOCAL, script

ORDERS = frozenset({"shuffle", "train_test_split", "sort", "interleave_datasets"})
"""Functions of data sets after which their rows stand in another order."""

FEWEST, BLOCK = 12, 4
"""Rows that tell something, and the least of one label: a mixed order is rarely like that."""


def check(facts: Facts) -> Iterator[Finding]:
    if known_trainer(facts) != "kto":
        raise NotConcerned("only KTO reads its rows in their order")
    if facts.run.flag("shuffle_dataset"):
        raise NotConcerned("the run shuffles its rows")
    given = facts.run.passes.values.get("train_dataset") if facts.run.passes else None
    if any(call.short in ORDERS for call in chain(given)):
        raise NotConcerned("the script puts its rows into another order")
    labels = [str(row.get("label")) for row in many_rows(facts)]
    blocks = [(label, len([*same])) for label, same in groupby(labels)]
    if len(labels) < FEWEST or len(blocks) != 2 or min(count for _, count in blocks) < BLOCK:
        return
    if {label for label, _ in blocks} == {"True", "False"}:
        (first, count), (other, rest) = blocks
        yield Finding(
            facts.run.place(data_key(facts)),
            f"the rows of {file_name(facts)} are sorted by their label: {count} rows with "
            f"{first.lower()}, then {rest} with {other.lower()}, and KTO does not shuffle them",
            remedy="shuffle them: dataset.shuffle(seed=42)",
        )


KTO: dict[str, Json] = {"trainer": "kto", "dataset_name": "rows.jsonl"}
WANTED = '{"prompt": "Why?", "completion": "So.", "label": true}\n'
OTHER = WANTED.replace("true", "false")
SORTED = {"rows.jsonl": WANTED * 8 + OTHER * 8}
SHUFFLED = "rows = rows.shuffle(seed=3)\n"
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            {"run.json": KTO, "rows.jsonl": WANTED * 8 + OTHER * 8},
            says="are sorted by their label: 8 rows with true, then 8 with false",
        ),
        Bad(script("KTO", "model='m'", rows=LOCAL) | SORTED, "train.py", says="are sorted by"),
        Good(script("KTO", "model='m'", rows=LOCAL, before=SHUFFLED) | SORTED, "train.py"),
        Good({"run.json": KTO, "rows.jsonl": (WANTED + OTHER) * 8}),
        Good({"run.json": KTO, "rows.jsonl": WANTED * 4 + OTHER * 4}),
        Good({"run.json": KTO, "rows.jsonl": WANTED * 16}),
        Good({"run.json": {**KTO, "trainer": "bco"}, "rows.jsonl": WANTED * 8 + OTHER * 8}),
    ),
)
