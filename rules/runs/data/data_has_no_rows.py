"""The file of the data has no rows.

An export that was interrupted leaves an empty list or an empty file. The job loads the model on
every GPU, and fails when it looks for a column or takes its first batch.

Remedy: write the rows again, or name the file that has them.

Versions: every release. Local files of rows are examined.

Seen: trl#917. Reproduced with SFT of trl 1.16.0 and 0.24.0: with `[]` "Instruction "train"
corresponds to no data!", without a split "Current columns in the dataset: []"; with an empty file
"StopIteration".
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.facts import Facts
from trl_doctor.facts.rows.own import data_key, file_name, first_rows
from trl_doctor.facts.rule import Bad, Good, Rule


def check(facts: Facts) -> Iterator[Finding]:
    if not facts[first_rows]:
        message = f"{file_name(facts)} has no rows: there is nothing to train on"
        yield Finding(facts.run.place(data_key(facts)), message)


def _files(rows: str) -> dict[str, Json]:
    run: Json = {"trainer": "sft", "model_name_or_path": "m", "dataset_name": "rows.json"}
    return {"run.json": run, "rows.json": rows}


RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains=r"Current columns in the dataset: \[\]|corresponds to no data",
    examples=(
        Bad(_files("[]"), says="rows.json has no rows: there is nothing to train on"),
        Good(_files('[{"text": "one"}]')),
        Good(_files('{"data": [{"text": "one"}]}')),
    ),
)
