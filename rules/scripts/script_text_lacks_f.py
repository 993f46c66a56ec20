"""A text with names in braces is no f-string.

`"### Question: {question}"` without an `f` before it is the text `{question}`, in each row: the
model never sees the question. No error is raised.

Remedy: write `f"…"`.

Versions: any. Reported are texts in functions whose names in braces are all arguments or variables
of the function. Functions that call `format`, `replace` or a template are left alone.

Seen: reproduced with SFT of trl 1.16.0: all rows of the trainer begin with `### Question: {q}`.
"""

import ast
import re
from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.script.code import code

from .._recorded.scripts import script

BRACED = re.compile(r"(?<!\{)\{([A-Za-z_]\w*)(?:\[[^\]{}]*\]|\.\w+)*\}(?!\})")
FILLS = re.compile(
    r"\.format\b|format_map|\.replace\(|Template|re\.\w+\(|substitute|render|compile\("
)
"""What may fill the braces of a text, or read them in another way."""

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def check(facts: Facts) -> Iterator[Finding]:
    parsed = facts[code]
    for node in parsed.nodes:
        texts = list(_texts(node)) if isinstance(node, Function) else []
        if not isinstance(node, Function) or not texts or FILLS.search(ast.unparse(node)):
            continue
        bound = _bound(node)
        for text, braced in texts:
            if {match[1] for match in braced} <= bound:
                yield Finding(
                    parsed.place(text),
                    f"{braced[0][0]} stays as it is in the text: there is no f before it",
                    remedy="write f before the text",
                )


def _texts(function: Function) -> Iterator[tuple[ast.Constant, list[re.Match[str]]]]:
    """The plain texts in a function with names in braces, and those names.

    Docstrings and parts of f-strings are none.
    """
    formatted = {
        id(part)
        for node in ast.walk(function)
        if isinstance(node, ast.JoinedStr)
        for part in ast.walk(node)
    }
    alone = {id(node.value) for node in ast.walk(function) if isinstance(node, ast.Expr)}
    inside = formatted | alone
    for node in ast.walk(function):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in inside
            and (braced := list(BRACED.finditer(node.value)))
        ):
            yield node, braced


def _bound(function: Function) -> set[str]:
    """The arguments and variables of a function."""
    given = function.args
    names = {argument.arg for argument in (*given.posonlyargs, *given.args, *given.kwonlyargs)}
    return names | {
        node.id
        for node in ast.walk(function)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }


def _function(line: str) -> dict[str, str]:
    before = (
        f"def show(row):\n    q = row['q']\n    return {{'text': {line}}}\nrows = rows.map(show)\n"
    )
    return script("SFT", "model='org/m'", before=before)


RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            _function("'### Question: {q}'"),
            "train.py",
            says="{q} stays as it is in the text: there is no f before it",
        ),
        Bad(_function("\"Why? {row['q']}\""), "train.py", says="{row['q']} stays as it is"),
        Good(_function("f'### Question: {q}'"), "train.py"),
        Good(_function("'### Question: {q}'.format(q=q)"), "train.py"),
        Good(_function("'Put it into {answer}: ' + q"), "train.py"),
        Good(_function("f'{q} {{q}}'"), "train.py"),
    ),
)
