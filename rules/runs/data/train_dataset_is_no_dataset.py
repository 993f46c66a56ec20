"""The training data are not a data set object.

A dictionary of columns or a list of rows has no `map`, and the trainer needs it. Without `split`,
`load_dataset` returns a dictionary of data sets. A table of pandas has columns by their names, and
no rows by their numbers. The trainer fails while it prepares the data or at the first batch.

Remedy: `Dataset.from_dict({…})`, `Dataset.from_list([…])` or `Dataset.from_pandas(table)` of the
package datasets; `load_dataset(…, split="train")`.

Versions: every trl. A table is seen in a rehearsal, and also with transformers' own Trainer.

Seen: trl#2226. Reproduced with SFT and DPO on a dictionary: trl 0.24.0 fails with "'dict' object
has no attribute 'map'", 0.12.2 with "'dict' object has no attribute 'column_names'", 1.16.0 with
"`train_dataset` must be a `Dataset` or `IterableDataset`, got `dict`". SFT of 1.16.0 raises the
same error for a `DatasetDict`; GRPO of 0.24.0 fails at the first batch: "Please first select a
split" (trl#2541, trl#6493). peft#1729: the Trainer of transformers 5.23.0 fails on a table of
pandas with "KeyError: 2" at the first batch.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings, rehearsed
from trl_doctor.facts.rule import Bad, Examples, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer
from trl_doctor.facts.script.passed import passed, plain_container

from ..._recorded.scripts import script


def check(facts: Facts) -> Iterator[Finding]:
    if rehearsed(facts) and (tables := list(mistake_findings(facts, TABLE, remedy=ROWS_OF_TABLE))):
        yield from tables
        return
    values = passed(facts)
    if known_trainer(facts) is None:
        raise NotConcerned("the trainer is not known")
    kind = plain_container(values.given("train_dataset"))
    if kind:
        yield Finding(
            values.places["train_dataset"],
            f"train_dataset is a {kind}{WHAT.get(kind, '')}: the trainer needs one data set",
            remedy=REMEDY.get(kind, "Dataset.from_list(…) of the package datasets"),
        )


TABLE = {
    "rows are a table": "train_dataset is a table of {0}: the trainer asks for rows by their "
    "numbers, and a table has columns"
}
ROWS_OF_TABLE = "Dataset.from_pandas(table) of the package datasets"
WHAT = {
    "dict": " of Python",
    "list": " of Python",
    "DatasetDict": " of all splits",
}
REMEDY = {
    "dict": "Dataset.from_dict(…) of the package datasets",
    "DatasetDict": "load_dataset(…, split='train'), or train_dataset['train']",
}


ROWS = "rows = {'text': ['a', 'b']}\n"
MADE = f"from datasets import Dataset\n{ROWS}rows = Dataset.from_dict(rows)\n"
WHOLE = "rows = load_dataset('json', data_files='rows.jsonl'{})\n"
MAPPED = "rows = rows.map(lambda row: row).shuffle(seed=1)\n"
HALVED = "rows = rows.train_test_split(test_size=0.1)\n"
CHOSEN = "rows = rows['train'].filter(len)\n"
PERHAPS = "if isinstance(rows, dict):\n    rows = rows['train']\n"
TRL = {"trl": "1.16.0"}


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake

    place, says = "train.py:12", "train_dataset is a table of pandas: the trainer asks for rows by"
    return (*WRITTEN, mistake("rows are a table", ("pandas",), place, says))


WRITTEN = (
    Bad(
        script("SFT", "model='org/m'", before=ROWS),
        "train.py",
        versions=TRL,
        says="train_dataset is a dict of Python",
    ),
    Bad(
        script("SFT", "model='org/m'", before="rows = [{'text': 'a'}]\n"),
        "train.py",
        versions=TRL,
        says="train_dataset is a list of Python",
    ),
    Bad(
        script("SFT", "model='org/m'", before=WHOLE.format("")),
        "train.py",
        versions=TRL,
        says="train_dataset is a DatasetDict",
    ),
    Bad(
        script("SFT", "model='org/m'", before=WHOLE.format("") + MAPPED),
        "train.py",
        versions=TRL,
        says="train_dataset is a DatasetDict",
    ),
    Bad(
        script("SFT", "model='org/m'", before=WHOLE.format(", split='train'") + HALVED),
        "train.py",
        versions=TRL,
        says="train_dataset is a DatasetDict",
    ),
    Good(
        script("SFT", "model='org/m'", before=WHOLE.format(", split='train'")),
        "train.py",
        versions=TRL,
    ),
    Good(
        script("SFT", "model='org/m'", before=WHOLE.format("") + MAPPED + CHOSEN),
        "train.py",
        versions=TRL,
    ),
    Good(
        script("SFT", "model='org/m'", before=WHOLE.format("") + PERHAPS),
        "train.py",
        versions=TRL,
        skipped="it depends on `isinstance(rows, dict)`",
    ),
    Good(script("SFT", "model='org/m'", before=MADE), "train.py", versions=TRL),
)
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains=r"KeyError: \d+$|must be a `Dataset`|'(dict|list)' object has no attribute"
    r"|select a split",
    examples=examples,
)
