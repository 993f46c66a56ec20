r"""`join` of one text puts each letter on a line of its own.

`"\n".join(text.strip())` goes through the letters of the text: `"It is so."` becomes nine lines.
A metric or a reward that compares lines then compares letters, and a row that is made so has no
words. The line is often what is left of `"\n".join(sent_tokenize(text.strip()))`. No error is
raised.

Remedy: join a list of texts: `"\n".join(text.strip().splitlines())`, or the sentences of the text.

Versions: any Python. Only separators with a line break are reported: letters with blanks between
them may be meant.

Seen: trl#862. Reproduced with SFT of trl 1.16.0: `compute_metrics` reads a summary of one sentence
as lines of one letter.
"""

import ast
from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.script.syntax.code import code
from trl_doctor.facts.script.syntax.method_calls import calls_of_methods

from .._recorded.scripts import script

OF_TEXT = frozenset(
    ["capitalize", "casefold", "format", "lower", "lstrip", "removeprefix", "removesuffix",
     "replace", "rstrip", "strip", "title", "upper"]
)  # fmt: skip
"""Methods of a text that give one text."""


def check(facts: Facts) -> Iterator[Finding]:
    for call in facts[calls_of_methods]:
        between = call.node.func.value if isinstance(call.node.func, ast.Attribute) else None
        given = call.node.args[0] if len(call.node.args) == 1 else None
        if call.method != "join" or given is None or not _breaks(between):
            continue
        if not _one_text(given):
            continue
        shown = ast.unparse(call.node)
        yield Finding(
            facts[code].place(call.node),
            f"{shown} puts each letter on a line of its own: join takes a list of texts",
            remedy=f"join a list of texts, as {ast.unparse(given)}.splitlines() is one",
        )


def _breaks(between: ast.AST | None) -> bool:
    """Whether a separator is a text with a line break."""
    text = between.value if isinstance(between, ast.Constant) else None
    return isinstance(text, str) and "\n" in text


def _one_text(given: ast.AST) -> bool:
    """Whether a value is surely one text; a method of this name may be of something else."""
    if isinstance(given, ast.JoinedStr):
        return True
    if not isinstance(given, ast.Call) or not isinstance(given.func, ast.Attribute):
        return False
    of = given.func.value
    accessor = isinstance(of, ast.Attribute) and of.attr == "str"
    return given.func.attr in OF_TEXT and not accessor


def _script(joined: str) -> dict[str, str]:
    before = f"rows = rows.map(lambda row: {{'text': {joined}}})\n"
    return script("SFT", "model='org/m'", before=before)


RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            _script(r"'\n'.join(row['text'].strip())"),
            "train.py",
            says=r"'\n'.join(row['text'].strip()) puts each letter on a line of its own",
        ),
        Bad(_script(r"'\n'.join(f'{row}')"), "train.py", says="puts each letter on a line"),
        Good(_script(r"'\n'.join(row['text'].strip().splitlines())"), "train.py"),
        Good(_script(r"'\n'.join(t.strip() for t in row['texts'])"), "train.py"),
        Good(_script(r"' '.join(row['text'].replace(' ', ''))"), "train.py"),
        Good(_script(r"'\n'.join(row['text'].str.strip())"), "train.py"),
        Good(_script(r"'\n'.join(sorted(row['text'].lower()))"), "train.py"),
    ),
)
