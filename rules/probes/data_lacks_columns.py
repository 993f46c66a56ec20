"""The rows lack the columns that the trainer reads.

The job loads the model on every GPU, starts, and dies at the first batch with a KeyError.

Remedy: name the columns as the trainer expects them: `prompt` for GRPO, RLOO and PPO; `messages`,
`text` or `prompt` + `completion` for SFT; `chosen` + `rejected` for DPO and the reward trainer;
`prompt` + `completion` + `label` for KTO.

Versions: any. Only local files of JSON rows are looked at, the first 64 of them.

Seen: trl 1.16.0: GRPO on rows with question and answer: "KeyError: 'prompt'".
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts, dataset
from trl_doctor.facts.measured.step import stepped
from trl_doctor.facts.measured.step_failure import trainer
from trl_doctor.facts.rule import Bad, Good, Rule

from .._recorded.step import FILES, TRL, answered

LACKS = "has no rows with"
"""How the probe says it."""

KEYS = ("datasets", "dataset_name")
"""Where a run file names its data; TRL reads the second only where the first is not there."""

MOST = 12
"""Columns that are named."""


def check(facts: Facts) -> Iterator[Finding]:
    keys = [key for key in KEYS if facts.run.arguments.get(key)]
    if not keys:
        raise NotConcerned("the run names no data")
    if not dataset.files(facts):
        name = facts.run.arguments[keys[0]]
        if isinstance(name, str) and not dataset.standing(facts, name):
            raise dataset.absent(name)
        raise Unavailable(f"{keys[0]} names no local file with rows of JSON")
    why = facts[stepped].rows_why
    if not why:
        return
    wanted = why.partition(LACKS)[2].strip()
    yield Finding(
        facts.run.place(keys[0]),
        f"{why}: the step was taken with made rows",
        _seen(facts),
        severity=None if wanted else "warning",
        follows=("data-rows-unreadable",),
        remedy=f"name the columns as {trainer(facts)} reads them: {wanted}" if wanted else "",
    )


def _seen(facts: Facts) -> tuple[str, ...]:
    names = dataset.columns(facts)
    shown = [f"{name:.40}" for name in names[:MOST]] + ["…"] * (len(names) > MOST)
    return (f"columns: {', '.join(shown)}",) if names else ()


DATA = {**FILES, "run.json": {**FILES["run.json"], "dataset_name": "rows.jsonl"}}
ROWS = {**DATA, "rows.jsonl": '{"question": "Why?", "answer": "So."}\n'}
CSV = {**DATA, "rows.jsonl/train.csv": "prompt\nWhy?\n"}
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
        Good(DATA, versions=TRL, answers=answered(), skipped="rows.jsonl is not here"),
        Good(CSV, versions=TRL, answers=answered(), skipped="names no local file with rows"),
    ),
)
