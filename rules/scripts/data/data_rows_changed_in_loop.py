"""A loop changes copies of the rows.

`for row in dataset: row["text"] = …` changes nothing: a data set makes a new dictionary for each
row, and the loop's is thrown away. The run trains on the rows as they were. No error is raised.

Remedy: `dataset = dataset.map(lambda row: {"text": …})`.

Versions: every release of datasets. Loops that hand their rows on, to a list or a function, or that
use the new value themselves, are left alone.

Seen: reproduced with SFT of trl 1.16.0 and datasets 5.0.1: after the loop the trainer has the old
texts.
"""

import ast
from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.script.syntax.code import code
from trl_doctor.facts.script.syntax.method_calls import data_sets

from ..._recorded.scripts import script

PASSES_ON = ("enumerate", "tqdm", "tqdm.tqdm", "tqdm.auto.tqdm", "track")
"""Calls that give what they were given, row by row."""


def check(facts: Facts) -> Iterator[Finding]:
    parsed = facts[code]
    names = data_sets(parsed.whole)
    for node in parsed.nodes:
        if not isinstance(node, ast.For) or _looped(node.iter) not in names:
            continue
        target = node.target.elts[-1] if isinstance(node.target, ast.Tuple) else node.target
        changed = _changed(node, target.id) if isinstance(target, ast.Name) else None
        if changed is not None:
            yield Finding(
                parsed.place(changed),
                f"{ast.unparse(changed)} changes a copy of the row: "
                f"{ast.unparse(_rows(node.iter))} stays as it is",
                remedy=f"write {_looped(node.iter)} = {ast.unparse(_rows(node.iter))}.map(…) with "
                "a function that returns the new columns",
            )


def _rows(value: ast.expr) -> ast.expr:
    """What a loop goes through, without `enumerate` or a bar that shows its progress."""
    while isinstance(value, ast.Call) and ast.unparse(value.func) in PASSES_ON and value.args:
        value = value.args[0]
    return value


def _looped(value: ast.expr) -> str:
    """The name of the data set that a loop goes through; of one split, that of all splits."""
    value = _rows(value)
    value = value.value if isinstance(value, ast.Subscript) else value
    return value.id if isinstance(value, ast.Name) else ""


def _changed(loop: ast.For, row: str) -> ast.expr | None:
    """The first column of the row that the loop sets; None if it uses the row in another way."""
    columns = [
        node
        for part in loop.body
        for node in ast.walk(part)
        if isinstance(node, ast.Subscript)
        and isinstance(node.value, ast.Name)
        and node.value.id == row
    ]
    uses = [
        node
        for part in loop.body
        for node in ast.walk(part)
        if isinstance(node, ast.Name) and node.id == row
    ]
    if len(uses) != len(columns):
        return None
    return next((node for node in columns if _is_set_only(node, columns)), None)


def _is_set_only(node: ast.Subscript, columns: list[ast.Subscript]) -> bool:
    """Whether a column is set, and no line of the loop below that uses what it is now."""
    read = (other for other in columns if isinstance(other.ctx, ast.Load))
    later = (other for other in read if other.lineno > node.lineno)
    return isinstance(node.ctx, ast.Store) and not any(_same(node, other) for other in later)


def _same(node: ast.Subscript, other: ast.Subscript) -> bool:
    """Whether two columns of the row may be the same one."""
    keys = [node.slice, other.slice]
    named = all(isinstance(key, ast.Constant) for key in keys)
    return not named or ast.unparse(node.slice) == ast.unparse(other.slice)


LOOP = "for row in rows:\n    row['text'] = row['text'].strip()"
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            script("SFT", "model='org/m'", before=f"{LOOP}\n"),
            "train.py",
            says="row['text'] changes a copy of the row: rows stays as it is",
        ),
        Bad(
            script(
                "SFT",
                "model='org/m'",
                before="for at, row in enumerate(rows):\n    row['id'] = at\n",
            ),
            "train.py",
            says="row['id'] changes a copy of the row: rows stays as it is",
        ),
        Good(
            script("SFT", "model='org/m'", before=f"kept = []\n{LOOP}\n    kept.append(row)\n"),
            "train.py",
        ),
        Good(
            script(
                "SFT", "model='org/m'", before=f"kept = []\n{LOOP}\n    kept.append(row['text'])\n"
            ),
            "train.py",
        ),
        Good(
            script("SFT", "model='org/m'", before=f"rows = list(rows)\n{LOOP}\n"),
            "train.py",
        ),
    ),
)
