"""Pairs have no prompt, so DPO of older releases fails.

Without a column `prompt`, DPO takes the common beginning of chosen and rejected for the prompt. If
they begin differently, the prompt is empty. Releases up to 0.28 then give the model a tensor of
floats, and the job fails at the first batch in which all prompts are empty.

Remedy: add a column `prompt`, or upgrade trl.

Versions: trl 0.12.0 to 0.28.0; newer releases join prompt and answer before they make a tensor.

Seen: reproduced with DPO of trl 0.12.2, 0.15.2, 0.24.0 and 0.28.0: "Expected tensor for argument #1
'indices' to have one of the following scalar types: Long, Int; but got torch.FloatTensor instead".
1.12.0 and 1.16.0 train on the same rows.
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rows.own import data_key, file_name, own_rows
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer, trl_of

FIRST, FIXED = Version("0.12.0"), Version("0.29.0")


def check(facts: Facts) -> Iterator[Finding]:
    trl = trl_of(facts)
    if known_trainer(facts) != "dpo" or trl is None or not FIRST <= trl < FIXED:
        raise NotConcerned("only DPO of trl 0.12.0 to 0.28.0 fails on an empty prompt")
    rows = facts[own_rows]
    empty = sum(_has_no_prompt(row) for row in rows)
    if empty:
        yield Finding(
            facts.run.place(data_key(facts)),
            f"chosen and rejected begin differently in {empty} of the first {len(rows)} rows of "
            f"{file_name(facts)}, so these have no prompt: DPO of trl {trl} fails at a batch in "
            "which no row has one",
            severity=None if empty == len(rows) else "warning",
        )


def _has_no_prompt(row: dict[str, Json]) -> bool:
    if row.get("prompt"):
        return False
    chosen, rejected = row.get("chosen"), row.get("rejected")
    return isinstance(chosen, str) and isinstance(rejected, str) and chosen[:1] != rejected[:1]


DPO: dict[str, Json] = {"trainer": "dpo", "dataset_name": "rows.jsonl"}
PAIR = '{"chosen": "One two.", "rejected": "Four."}\n'
ALIKE = '{"chosen": "Why? So.", "rejected": "Why? No."}\n'
THEN = {"trl": "0.28.0", "transformers": "4.57.6"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="one of the following scalar types: Long, Int; but got torch.FloatTensor",
    examples=(
        Bad(
            {"run.json": DPO, "rows.jsonl": PAIR * 4},
            versions=THEN,
            says="chosen and rejected begin differently in 4 of the first 4 rows of rows.jsonl",
        ),
        Bad(
            {"run.json": DPO, "rows.jsonl": PAIR * 2 + ALIKE},
            versions=THEN,
            says="in 2 of the first 3 rows",
            severity="warning",
        ),
        Good({"run.json": DPO, "rows.jsonl": ALIKE * 2}, versions=THEN),
        Good(
            {"run.json": DPO, "rows.jsonl": PAIR * 4},
            versions={"trl": "1.16.0", "transformers": "5.23.0"},
        ),
        Good({"run.json": DPO}, versions=THEN, skipped="rows.jsonl"),
    ),
)
