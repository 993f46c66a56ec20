"""A method of a data set is called and its result is lost.

`map`, `filter`, `shuffle`, `select`, `remove_columns` and others return a new data set and leave
the old one as it is; so do `dropna`, `replace`, `apply` and others of a table of pandas or of its
columns. A line `dataset.filter(keep)` that assigns nothing changes nothing: the run trains on the
rows as they were loaded. Often no error is raised.

Remedy: assign the result: `dataset = dataset.filter(keep)`, `df["text"] = df["text"].apply(clean)`.

Versions: every release of datasets and pandas. The last line of a notebook's cell is not reported:
it shows its result. Methods of pandas with `inplace=True`, functions that do something else than to
return a value, and a `map` that fills the cache for the same call later are left alone.

Seen: reproduced with SFT of trl 0.24.0 and datasets 5.0.1: `rows.filter(…)` alone leaves all rows;
with pandas 3.1.1: `df["answer"].apply(…)` alone leaves the answers.
"""

from collections.abc import Iterator
from typing import Any

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.script.syntax.code import code
from trl_doctor.facts.script.syntax.method_calls import discarded_rows

from ..._recorded.scripts import notebook, script


def check(facts: Facts) -> Iterator[Finding]:
    for call in facts[discarded_rows]:
        yield Finding(
            facts[code].place(call.node),
            f"the result of {call.name}.{call.method}(…) is lost: {call.name} stays as it is",
            remedy=f"write {call.name} = {call.name}.{call.method}(…)",
        )


def files(line: str) -> dict[str, str]:
    before = (
        f"from datasets import load_dataset\nrows = load_dataset('a/b', split='train')\n{line}\n"
    )
    return script("SFT", "model='org/m', train_dataset=rows", before=before)


def cells(*between: str) -> dict[str, Any]:
    before, whole = files("")["train.py"].partition("SFTTrainer(")[0], files("")["train.py"]
    return notebook(before, *between, whole)


NOTES = "seen = {}\ndef note(row):\n    seen[row['id']] = row['text']\n    return len(seen)\n"
TABLE = "import pandas as pd\ndf = pd.read_csv('rows.csv')\n"
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            files("rows.filter(lambda row: row['text'])"),
            "train.py",
            says="the result of rows.filter(…) is lost: rows stays as it is",
        ),
        Bad(files("rows = rows.map(str)\nrows.shuffle(seed=1)"), "train.py", says="rows.shuffle"),
        Bad(
            cells("rows.filter(lambda row: row['text'])\nprint(len(rows))"),
            "train.ipynb",
            says="the result of rows.filter(…) is lost",
        ),
        Good(cells("print(len(rows))\nrows.select(range(3))"), "train.ipynb"),
        Good(files("rows = rows.filter(lambda row: row['text'])"), "train.py"),
        Good(files("rows.set_format('torch')"), "train.py"),
        Bad(
            files(f"{TABLE}df['answer'].apply(lambda a: a.strip())"),
            "train.py",
            says="the result of df['answer'].apply(…) is lost: df['answer'] stays as it is",
        ),
        Bad(files(f"{TABLE}df.dropna()"), "train.py", says="the result of df.dropna(…) is lost"),
        Good(files(f"{TABLE}df.dropna(inplace=True)"), "train.py"),
        Good(files(f"{TABLE}out = []\ndf.apply(lambda r: out.append(r), axis=1)"), "train.py"),
        Good(files(f"{TABLE}def keep(row):\n    print(row)\ndf.apply(keep, axis=1)"), "train.py"),
        Good(files(f"{TABLE}{NOTES}df.apply(note, axis=1)"), "train.py"),
        Good(files(f"{NOTES}rows.map(note)"), "train.py"),
        Good(files("rows.map(str, num_proc=4)\nrows = rows.map(str, num_proc=4)"), "train.py"),
        Good(files("import random\nwords = []\nwords.sort()"), "train.py"),
    ),
)
