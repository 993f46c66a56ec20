"""The variables of a shell text, and what stands for them."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable
from dataclasses import dataclass, field

NAME = re.compile(r"[A-Za-z_]\w*")


ARITHMETIC = re.compile(r"[\d\s+*/()-]+")


SUMS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.floordiv,
}


MARK = "\0"
"""Stands in a text for a variable that is not known."""


@dataclass(frozen=True)
class Word:
    """A word of a command; `open` says why its value is not known, "" where it is.

    `bare` says that no part of it was quoted; `marked` is the text with a `MARK` for what is
    not known in it.
    """

    text: str
    line: int
    column: int
    open: str = ""
    bare: bool = True
    marked: str = ""

    @property
    def inner(self) -> str:
        """The text as a shell inside reads it, `MARK` for what is not known."""
        return self.marked or self.text


@dataclass
class Shell:
    """The variables of a shell text, as far as it has been read; None is one that is not known."""

    variables: dict[str, list[Word] | None] = field(default_factory=dict)

    def value(self, name: str) -> str | None:
        """The value of a variable as one text; None where it is not known."""
        held = self.variables.get(name)
        if held is None or any(one.open for one in held):
            return None
        return " ".join(one.text for one in held)


def held(shell: Shell, name: str) -> tuple[str, str, list[Word] | None]:
    words = shell.variables.get(name)
    if words is None:
        return "", f"the variable {name} gives it", None
    why = next((one.open for one in words if one.open), "")
    return " ".join(one.text for one in words), why, words


def braced(inside: str, shell: Shell) -> tuple[str, str, list[Word] | None]:
    """`${NAME}`, `${NAME:-default}`, `${NAME[@]}`."""
    found = re.match(r"([A-Za-z_]\w*)(\[[@*]\]|:?[-=](.*))?$", inside, re.DOTALL)
    if found is None:
        return "", f"${{{inside:.40}}} gives it", None
    if shell.variables.get(found[1]) is None and found[3] is not None and "$" not in found[3]:
        return found[3].strip("\"'"), "", None
    return held(shell, found[1])


def arithmetic(inside: str, shell: Shell) -> tuple[str, str, list[Word] | None]:
    """`$((A * B))` with known whole numbers."""
    names = dict.fromkeys(NAME.findall(inside))
    values = {name: shell.value(name) for name in names}
    known = {name: one for name, one in values.items() if one is not None and one.isdigit()}
    if len(known) < len(names) or len(inside) > 200:
        return "", "a sum of variables gives it", None
    plain = NAME.sub(lambda match: known[match.group()], inside.replace("$", ""))
    if not ARITHMETIC.fullmatch(plain) or "**" in plain:
        return "", "a sum of variables gives it", None
    try:
        return str(_sum(ast.parse(plain, mode="eval").body)), "", None
    except (ArithmeticError, SyntaxError, ValueError, RecursionError):
        return "", "a sum of variables gives it", None


def _sum(node: ast.expr) -> int:
    """A sum or product of whole numbers."""
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return node.value
    if isinstance(node, ast.BinOp) and type(node.op) in SUMS:
        return SUMS[type(node.op)](_sum(node.left), _sum(node.right))
    raise ValueError
