"""Keys of a dictionary in a script, and values that it passes by name, that nothing in it reads."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from msgspec import Struct

from trl_doctor.files.source.followed import (
    DEEPEST,
    Code,
    Followed,
    Reads,
    arguments_of,
    noted,
    own_function,
    pairs_of,
    read_of,
    read_of_argument,
)
from trl_doctor.files.source.values import Span

FEWEST = 2
"""Keys that have to be read before one that is not is of interest."""


class UnreadKey(Struct, frozen=True, eq=False):
    """A key with a constant for its value."""

    name: str
    value: bool | int | float | str
    span: Span


def unread_keys(
    trees: Sequence[ast.Module], modules: Sequence[ast.Module] = ()
) -> Iterator[UnreadKey]:
    """Those of dictionaries, and of `**` arguments, of which the script reads others by name.

    `modules` may read them, too. Their own dictionaries may be for other scripts.
    """
    code = noted((*trees, *modules))
    for number, tree in enumerate(trees):
        for node in ast.walk(tree):
            if isinstance(node, ast.Dict | ast.Call):
                yield from _of_pairs(code, number, node)


def _of_pairs(code: Code, number: int, node: ast.Dict | ast.Call) -> Iterator[UnreadKey]:
    try:
        pairs, read = _display(code, node) if pairs_of(node) else _by_name(code, node)
    except Followed:
        return
    names = {name for name, _ in pairs}
    if len(names) <= FEWEST or len(names) < len(pairs) or len(read.keys() & names) < FEWEST:
        return
    for name, value in pairs:
        called = any(_is_called(code, one) for one in code.loads.get(name, ()))
        constant = value.value if isinstance(value, ast.Constant) else None
        if name not in read and not called and isinstance(constant, bool | int | float | str):
            yield UnreadKey(name, constant, _span(number, value))


def _display(code: Code, node: ast.expr) -> tuple[list[tuple[str, ast.expr]], Reads]:
    """The keys of a dictionary, and those of them that are read."""
    return pairs_of(node), read_of(code, node, DEEPEST)


def _by_name(code: Code, node: ast.expr) -> tuple[list[tuple[str, ast.expr]], Reads]:
    """What a call passes to the `**` argument of the script's own function, and what is read."""
    if not isinstance(node, ast.Call) or not all(one.arg for one in node.keywords):
        raise Followed
    function = own_function(code, node)
    rest = function.args.kwarg
    if rest is None:
        raise Followed
    taken = {one for names in arguments_of(code, function) for one in names}
    pairs = [(one.arg or "", one.value) for one in node.keywords if one.arg not in taken]
    return pairs, read_of_argument(code, function, rest.arg, DEEPEST)


def _is_called(code: Code, name: ast.Name) -> bool:
    """Whether it is a function that does what the key says."""
    call = code.parents.get(name)
    return isinstance(call, ast.Call) and call.func is name


def _span(number: int, node: ast.expr) -> Span:
    end_line, end_column = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
    return Span(number, node.lineno, node.col_offset, end_line, end_column)
