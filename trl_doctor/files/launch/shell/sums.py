"""Sums of known whole numbers in a shell text: `$((NODES * 8))`."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable

from trl_doctor.files.launch.shell.variables import NAME, Shell, Word

ARITHMETIC = re.compile(r"[\d\s+*/()-]+")


SUMS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.floordiv,
}


def arithmetic(inside: str, shell: Shell) -> tuple[str, str, list[Word] | None]:
    """`$((A * B))` with known whole numbers."""
    names = dict.fromkeys(NAME.findall(inside))
    values = {name: shell.value(name) for name in names}
    numbers = {
        name: value for name, value in values.items() if value is not None and value.isdigit()
    }
    if len(numbers) < len(names) or len(inside) > 200:
        return "", "a sum of variables gives it", None
    plain = NAME.sub(lambda match: numbers[match.group()], inside.replace("$", "")).strip()
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
