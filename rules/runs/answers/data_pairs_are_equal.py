"""The chosen and the rejected answer are the same.

Such a pair teaches nothing: both answers have the same probability, the margin is 0 and so is the
gradient. The loss of DPO stays at 0.6931. A column that is copied or renamed wrongly makes all
pairs equal; two samples of one model are also often equal. Where a script cuts both to one length,
pairs with long prompts have no answer left, and are equal, too.

Remedy: give `rejected` the other answer, and filter out equal pairs: `rows.filter(lambda row:
row["chosen"] != row["rejected"])`. Where prompts leave no room, raise the length or drop such rows.

Versions: every trl. Local files of rows are examined, their first 64 rows, and in a rehearsal
the rows as the trainer gets them. The rule allows a few equal pairs, up to one of ten. If a script
samples the answers itself, a rehearsal reports only that all pairs are equal: its model is small.

Seen: reproduced with DPO of trl 1.16.0 and 0.24.0: the gradient's norm is 1e-7 for equal pairs, 1.2
for others.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import sampled
from trl_doctor.facts.rows.own import data_key, file_name, own_rows
from trl_doctor.facts.rule import Bad, Examples, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer

TRAINERS = ("dpo", "orpo", "cpo", "reward")
COLUMNS = (
    ("chosen", "rejected"),
    ("chosen_ids", "rejected_ids"),
    ("chosen_input_ids", "rejected_input_ids"),
    ("input_ids_chosen", "input_ids_rejected"),
)
"""The names of the two answers: as texts, and as the tokens that a script makes."""

FEW = 0.1
"""The share of equal pairs that is not reported."""


def check(facts: Facts) -> Iterator[Finding]:
    if known_trainer(facts) not in TRAINERS:
        raise NotConcerned("the rows of this trainer are not pairs of answers")
    rows = facts[own_rows]
    equal = [number for number, row in enumerate(rows, 1) if _is_equal(row)]
    if len(equal) > FEW * len(rows) and (len(equal) == len(rows) or not facts[sampled]):
        yield Finding(
            facts.run.place(data_key(facts)),
            f"chosen and rejected are the same in {len(equal)} of {len(rows)} rows of "
            f"{file_name(facts)}, first in row {equal[0]}: nothing is learned from them",
            severity=None if len(equal) == len(rows) else "warning",
        )


def _is_equal(row: dict[str, Json]) -> bool:
    return any(bool(row.get(chosen)) and row[chosen] == row.get(rejected)
               for chosen, rejected in COLUMNS)  # fmt: skip


DPO: dict[str, Json] = {"trainer": "dpo", "dataset_name": "rows.jsonl"}
EQUAL = '{"prompt": "Why?", "chosen": "So.", "rejected": "So."}\n'
OTHER = '{"prompt": "Why?", "chosen": "So.", "rejected": "No."}\n'


def examples() -> Examples:
    from trl_doctor.probes.answers.rehearse import RehearsalMistake

    from ..._recorded.rehearsal import TRL, rehearsed

    few: dict[str, Json] = {"run.json": DPO, "rows.jsonl": OTHER * 8 + EQUAL * 2}
    answers = rehearsed(mistakes=(RehearsalMistake("generated"),))
    return (*WRITTEN, Good(few, versions=TRL, level="rehearsal", answers=answers))


WRITTEN = (
    Bad(
        {"run.json": DPO, "rows.jsonl": EQUAL * 8},
        says="chosen and rejected are the same in 8 of 8 rows of rows.jsonl, first in row 1",
    ),
    Bad(
        {"run.json": DPO, "rows.jsonl": OTHER * 8 + EQUAL * 2},
        says="the same in 2 of 10 rows of rows.jsonl, first in row 9",
        severity="warning",
    ),
    Bad(
        {
            "run.json": {**DPO, "trainer": "reward"},
            "rows.jsonl": '{"chosen_ids": [1, 2], "rejected_ids": [1, 2]}\n' * 4,
        },
        says="chosen and rejected are the same in 4 of 4 rows",
    ),
    Good({"run.json": DPO, "rows.jsonl": OTHER * 9 + EQUAL}),
    Good({"run.json": {**DPO, "trainer": "kto"}, "rows.jsonl": EQUAL}),
)
RULE = Rule(doc=__doc__, severity="error", check=check, examples=examples)
