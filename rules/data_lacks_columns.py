"""The rows lack the columns that the trainer reads.

The job loads the model on every GPU, starts, and dies at the first batch with a KeyError.

Remedy: name the columns as the trainer expects them: `prompt` for GRPO, RLOO and PPO; `messages`,
`text` or `prompt` + `completion` for SFT; `chosen` + `rejected` for DPO and the reward trainer;
`prompt` + `completion` + `label` for KTO.

Versions: any. Only local files of JSON rows are looked at, the first 64 of them.

Seen: trl 1.16.0: GRPO on rows with question and answer: "KeyError: 'prompt'".
"""

from collections.abc import Iterator

from trl_doctor import dataset
from trl_doctor.dry_run.step import stepped
from trl_doctor.facts import Facts
from trl_doctor.finding import Finding
from trl_doctor.rule import Bad, Good, Rule

from ._step import FILES, TRL, answered

LACKS = "has no rows with"
"""How the probe says it."""


def check(facts: Facts) -> Iterator[Finding]:
    why = str(facts[stepped].get("rows_why") or "")
    if not why or not dataset.files(facts):
        return
    yield Finding(
        facts.run.place(next(iter(KEYS & set(facts.run.arguments)), "dataset_name")),
        f"{why}: the step was taken with made rows",
        severity=None if LACKS in why else "warning",
    )


KEYS = {"dataset_name", "datasets"}
DATA = {**FILES, "run.json": {**FILES["run.json"], "dataset_name": "rows.jsonl"}}
ROWS = {**DATA, "rows.jsonl": '{"question": "Why?", "answer": "So."}\n'}
MADE = {"rows_from": "made", "rows_why": "rows.jsonl has no rows with prompt"}
LONG = {"rows_from": "made", "rows_why": "the rows of rows.jsonl are too long for a small step"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(ROWS, versions=TRL, answers=answered(**MADE), says="has no rows with prompt"),
        Bad(ROWS, versions=TRL, answers=answered(**LONG), severity="warning"),
        Good(ROWS, versions=TRL, answers=answered()),
        Good(FILES, versions=TRL, answers=answered(rows_from="made", rows_why="")),
    ),
)
