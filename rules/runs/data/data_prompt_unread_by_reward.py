"""RewardTrainer does not read the column `prompt`.

Before trl 0.24.0 RewardTrainer tokenizes only `chosen` and `rejected`. Rows with the question in a
column `prompt` of its own train a reward model that never sees a question: it learns which answers
look better in general. No error is raised, and the loss falls.

Remedy: put the prompt into both answers, as messages or as text, and remove the column:
`rows.map(lambda row: {"chosen": row["prompt"] + row["chosen"], "rejected": row["prompt"] +
row["rejected"]}, remove_columns="prompt")`. Or use trl 0.24.0 or newer, which does this.

Versions: trl before 0.24.0. Rows whose answers contain the prompt are not reported. Local JSON
files are examined, and in a rehearsal the rows that the trainer gets.

Seen: the decoded rows of a real step. Reproduced with trl 0.12.2, 0.15.2 and 0.19.1: the model gets
the answers only, as texts and as messages; with the prompt in both it gets the question, and with
trl 0.24.0 it gets the question from the column.
"""

import json
from collections.abc import Iterator, Mapping

from packaging.version import Version

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.plain import excerpt
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.rows.own import data_key, in_rows, own_rows
from trl_doctor.facts.rows.sizes import text_of
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer, trainer

READS_FROM = Version("0.24.0")
TOKENIZED = "input_ids_chosen"
SIDES = ("chosen", "rejected")


def check(facts: Facts) -> Iterator[Finding]:
    if known_trainer(facts) != "reward":
        raise NotConcerned("only RewardTrainer takes the prompt from the answers")
    version = facts.environment.version("trl")
    if version is None:
        raise Unavailable("the release of trl is not known")
    if version >= READS_FROM:
        raise NotConcerned(f"RewardTrainer of trl {version} reads the prompt")
    if facts.run.script.passed is not None and facts.run.script.passed.derived:
        raise NotConcerned("the trainer is a class of the script's own, which may read it")
    rows = facts[own_rows]
    alone = [at for at, row in enumerate(rows, 1) if _prompt_is_alone(row)]
    if len(alone) * 2 > len(rows):
        yield Finding(
            facts.run.place(data_key(facts)),
            f"{trainer(facts)} does not read the column prompt: the reward model never sees the "
            f"question of {in_rows(facts, alone[0], len(alone))}",
            (f"prompt: {excerpt(text_of(rows[alone[0] - 1]['prompt']))!r}",),
        )


def _prompt_is_alone(row: Mapping[str, Json]) -> bool:
    """Whether the prompt is in neither answer, and the row is not tokenized."""
    prompt = text_of(row.get("prompt")).strip()
    answers = [text_of(row.get(side)) for side in SIDES]
    return (
        bool(prompt)
        and all(answers)
        and TOKENIZED not in row
        and not any(prompt in answer for answer in answers)
    )


RUN: dict[str, Json] = {"trainer": "reward", "dataset_name": "rows.jsonl"}
PAIR: dict[str, Json] = {"prompt": "Who are you?", "chosen": "A cat.", "rejected": "A dog."}
WHOLE: dict[str, Json] = {
    "chosen": "Who are you? A cat.", "rejected": "Who are you? A dog."
}  # fmt: skip
TALK: dict[str, Json] = {
    "prompt": [{"role": "user", "content": "Who are you?"}],
    "chosen": [{"role": "assistant", "content": "A cat."}],
    "rejected": [{"role": "assistant", "content": "A dog."}],
}
OLD = {"trl": "0.15.2", "transformers": "4.48.3"}
NEW = {"trl": "0.24.0", "transformers": "4.57.6"}


def _files(row: dict[str, Json], run: dict[str, Json] = RUN) -> dict[str, Json]:
    return {"run.json": run, "rows.jsonl": f"{json.dumps(row)}\n" * 2}


RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            _files(PAIR),
            versions=OLD,
            says="the reward model never sees the question",
        ),
        Bad(_files(TALK), versions=OLD, says="does not read the column prompt"),
        Good(_files(PAIR), versions=NEW),
        Good(_files(WHOLE), versions=OLD),
        Good(_files({**WHOLE, "prompt": "Who are you?"}), versions=OLD),
        Good(_files({**PAIR, "input_ids_chosen": [1, 2]}), versions=OLD),
        Good(_files(PAIR, {**RUN, "trainer": "dpo"}), versions=OLD),
        Good({"run.json": RUN}, versions=OLD, skipped="rows.jsonl"),
    ),
)
