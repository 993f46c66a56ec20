"""A text with names in braces is no f-string.

`"### Question: {question}"` without an `f` before it is the text `{question}`, in each row: the
model never sees the question. No error is raised.

Remedy: write `f"…"`.

Versions: any. Reported are texts in functions whose names in braces are all arguments or variables
of the function. Functions that call `format`, `replace` or a template, themselves or by another
function of the script, are left alone, and so is LaTeX (`\\boxed{answer}`).

Seen: reproduced with SFT of trl 1.16.0: all rows of the trainer begin with `### Question: {q}`.
"""

import ast
import re
from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.script.syntax.code import code

from .._recorded.scripts import script

BRACED = re.compile(r"(?<!\{)\{([A-Za-z_]\w*)(?:\[[^\]{}]*\]|\.\w+)*\}(?!\})")
FILLS = re.compile(
    r"\.format\b|format_map|\.replace\(|Template|re\.\w+\(|substitute|render|compile\(|\{%s\}"
)
"""What may fill the braces of a text, or read them in another way."""

FORMATS = re.compile(r"\.format\(|format_map|substitute|\.replace\(f?['\"]\{")
"""What surely fills braces that a function gets."""

COMMAND = re.compile(r"\\[A-Za-z]+(?:\{[^{}]*\})*$")
"""What LaTeX has before an argument in braces: the text may be an example for the model."""

CODE = re.compile(r"\bf['\"]")
"""An f-string inside a text: the text is a program."""

READERS = frozenset({"TextColumn", "Formatter"})
"""Classes that fill the braces of their texts themselves, of rich and of logging."""

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def check(facts: Facts) -> Iterator[Finding]:
    parsed = facts[code]
    filling = {
        node.name
        for node in parsed.nodes
        if isinstance(node, ast.FunctionDef) and FORMATS.search(ast.unparse(node))
    }
    for node in parsed.nodes:
        texts = list(_texts(node)) if isinstance(node, Function) else []
        if not isinstance(node, Function) or not texts or _fills(node, filling):
            continue
        bound = _bound(node)
        for text, braced in texts:
            if {match[1] for match in braced} <= bound:
                yield Finding(
                    parsed.place(text),
                    f"{braced[0][0]} stays as it is in the text: there is no f before it",
                    remedy="write f before the text",
                )


def _fills(function: Function, filling: set[str]) -> bool:
    """Whether it fills braces, or calls a function that does, or one with names and values."""
    calls = [node for node in ast.walk(function) if isinstance(node, ast.Call)]
    return (
        bool(FILLS.search(ast.unparse(function)))
        or any(_name(call) in filling and len(call.args) > 1 for call in calls)
        or any(map(_gives_names, calls))
    )


def _name(call: ast.Call) -> str:
    """The name of the function or method that is called."""
    return ast.unparse(call.func).rpartition(".")[2]


def _gives_names(call: ast.Call) -> bool:
    """Whether a call gives a text, and values by the names in its braces: `info("{n}", n=n)`."""
    texts = [node.value for node in call.args if isinstance(node, ast.Constant)]
    named = {match[1] for text in texts for match in BRACED.finditer(str(text))}
    words = {word.arg for word in call.keywords}
    return bool(named) and (None in words or named <= words)


def _texts(function: Function) -> Iterator[tuple[ast.Constant, list[re.Match[str]]]]:
    """The plain texts in a function with names in braces, and those names.

    Docstrings, parts of f-strings and what a decorator or one of `READERS` gets are none: a route
    of a web application has its parameters in braces.
    """
    formatted = {
        id(part)
        for node in ast.walk(function)
        if isinstance(node, ast.JoinedStr)
        for part in ast.walk(node)
    }
    alone = {id(node.value) for node in ast.walk(function) if isinstance(node, ast.Expr)}
    decorating = {
        id(part)
        for node in ast.walk(function)
        for decorator in getattr(node, "decorator_list", ())
        for part in ast.walk(decorator)
    }
    read = {
        id(argument)
        for node in ast.walk(function)
        if isinstance(node, ast.Call) and _name(node) in READERS
        for argument in node.args
    }
    inside = formatted | alone | decorating | read
    for node in ast.walk(function):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in inside
            and (braced := _braced(node.value))
        ):
            yield node, braced


def _braced(text: str) -> list[re.Match[str]]:
    """The names in braces in a text; nothing where LaTeX or a program has one of them."""
    found = list(BRACED.finditer(text))
    others = CODE.search(text) or any(COMMAND.search(text[: one.start()]) for one in found)
    return [] if others else found


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


COLUMN = (
    "def load(rows):\n    with Progress(TextColumn('[dim]{task.description}')) as bar:\n"
    "        task = bar.add_task('read')\n    return rows\nrows = load(rows)\n"
)
ROUTE = "@app.post('/chat/{q}')\ndef chat(q: str):\n    return {'text': q}\n"


def _filled(line: str) -> dict[str, str]:
    """A script with a function that fills a template."""
    before = (
        "def fill(template, q):\n    return template.format(q=q)\n"
        "def show(row):\n    q, template = row['q'], 'Question: {q}'\n"
        f"    return {{'text': {line}}}\nrows = rows.map(show)\n"
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
        Good(script("SFT", "model='org/m'", before=f"from web import app\n{ROUTE}"), "train.py"),
        Good(script("SFT", "model='org/m'", before=COLUMN), "train.py"),
        Good(_function("f'### Question: {q}'"), "train.py"),
        Good(_function("'### Question: {q}'.format(q=q)"), "train.py"),
        Good(_function("'Put it into {answer}: ' + q"), "train.py"),
        Good(_function("f'{q} {{q}}'"), "train.py"),
        Good(_function(r"q + 'End with \\boxed{q}.'"), "train.py"),
        Good(_function("""q + 'print(f"{q}")'"""), "train.py"),
        Good(_function("fill('Question: {q}', q=q)"), "train.py"),
        Good(_filled("fill(template, q)"), "train.py"),
        Bad(_filled("template.strip()"), "train.py", says="{q} stays as it is"),
    ),
)
