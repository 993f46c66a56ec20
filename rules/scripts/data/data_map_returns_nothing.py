"""The function of `map` returns nothing.

`dataset.map(function)` writes what the function returns into the rows. A function without `return`
gives None, and datasets leaves the rows as they are, also if the function has changed the row that
it got. New columns are never there: the run trains on the old ones, or ends because no column is
one that it knows.

Remedy: end the function with `return`: the row that it has changed, or a dictionary with the new
columns.

Versions: every release of datasets. A `map` whose result is not kept is left alone: its
function may be there for something else.

Seen: datasets#2988. Reproduced with datasets 5.2.0 and 3.1.0, batched and not: the columns are as
before. With SFT of trl 0.24.0 and rows that the script tokenizes: "No columns in the dataset match
the model's forward method signature".
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.script.syntax.code import code
from trl_doctor.facts.script.syntax.idle_maps import idle_maps
from trl_doctor.facts.script.syntax.method_calls import calls_of_methods

from ..._recorded.scripts import notebook, script


def check(facts: Facts) -> Iterator[Finding]:
    facts[code]
    if not any(call.method == "map" for call in facts[calls_of_methods]):
        raise NotConcerned("the script gives no function to map")
    for idle in facts[idle_maps]:
        yield Finding(
            idle.place,
            f"{idle.function} returns nothing: {idle.rows}.map({idle.function}) leaves the rows as "
            "they are",
            remedy=f"end it with `return {idle.filled or '…'}`, the new columns of the row",
        )


def _mapped(body: str, call: str = "rows = rows.map(encode)") -> dict[str, str]:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return script("SFT", "model='org/m'", before=f"def encode(row):\n{lines}{call}\n")


FILLED = "inputs = tok(row['text'])\ninputs['labels'] = inputs['input_ids']"
BATCHED = "split = load_dataset('a/b')\nrows = prepared(split).map(encode, batched=True)"
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(_mapped(FILLED), "train.py", says="encode returns nothing: rows.map(encode) leaves"),
        Bad(
            _mapped("row['text'] = row['text'].strip()"), "train.py", says="encode returns nothing"
        ),
        Bad(_mapped("if not row['text']:\n    return\nrow['n'] = 1"), "train.py", says="encode"),
        Bad(_mapped(FILLED, BATCHED), "train.py", says="prepared(split).map(encode) leaves the"),
        Good(_mapped(f"{FILLED}\nreturn inputs"), "train.py"),
        Good(_mapped("row['text'] = 'a'\nreturn row"), "train.py"),
        Good(_mapped("def inner():\n    return 1\nreturn {'text': inner()}"), "train.py"),
        Good(_mapped("print(row)", "rows.map(encode)"), "train.py"),
        Good(_mapped("seen.append(row['text'])"), "train.py"),
        Good(
            notebook(
                "from datasets import load_dataset\n"
                "rows = load_dataset('a/b', split='train')\n"
                "def look(row):\n    row['n'] = 1\nrows.map(look)",
                "from trl import SFTTrainer\nSFTTrainer('org/m', train_dataset=rows)",
            ),
            "train.ipynb",
        ),
        Good(_mapped("raise NotImplementedError"), "train.py"),
        Good(_mapped("print(row)", "done = pool.map(encode, rows)"), "train.py"),
    ),
)
