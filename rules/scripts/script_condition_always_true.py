"""A condition is always true.

`row["topic"] == "math" or "code"` means `(row["topic"] == "math") or "code"`, and a text that is
not empty counts as true. A filter with such a condition keeps all rows, and a reward gives its
points to each completion. No error is raised.

Remedy: write `row["topic"] in ("math", "code")`.

Versions: any.

Seen: reproduced with SFT of trl 0.15.2: `rows.filter(lambda row: row["topic"] == "math" or "code")`
keeps the rows of all topics.
"""

import ast
from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.script.syntax.code import code

from .._recorded.scripts import script


def check(facts: Facts) -> Iterator[Finding]:
    parsed = facts[code]
    if not (conditions := [node for node in parsed.nodes if _always_true(node)]):
        raise NotConcerned("no comparison of the script has a text behind `or`")
    for condition in conditions:
        assert isinstance(condition, ast.BoolOp)
        first, *others = condition.values
        assert isinstance(first, ast.Compare)
        texts = ", ".join(ast.unparse(text) for text in (*first.comparators, *others))
        yield Finding(
            parsed.place(condition),
            f"{ast.unparse(condition)} is always true: {ast.unparse(others[-1])} is a text, and "
            "counts as true",
            remedy=f"write {ast.unparse(first.left)} in ({texts})",
        )


def _always_true(node: ast.AST) -> bool:
    """Whether it is `value == "text" or "text"`."""
    if not (isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or)):
        return False
    first, *others = node.values
    compares = isinstance(first, ast.Compare) and isinstance(first.ops[0], ast.Eq)
    return (
        compares
        and _is_text(first.comparators[-1])  # type: ignore[attr-defined]
        and all(_is_text(other) for other in others)
    )


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and bool(node.value)


def _script(condition: str) -> dict[str, str]:
    return script("SFT", "model='org/m'", before=f"rows = rows.filter(lambda row: {condition})\n")


TRL = {"trl": "1.16.0"}
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            _script("row['topic'] == 'math' or 'code'"),
            "train.py",
            TRL,
            says="row['topic'] == 'math' or 'code' is always true: 'code' is a text",
        ),
        Good(_script("row['topic'] in ('math', 'code')"), "train.py", TRL),
        Good(_script("row['topic'] == 'math' or row['topic'] == 'code'"), "train.py", TRL),
        Good(_script("(row['topic'] or 'math') == 'math'"), "train.py", TRL),
    ),
)
