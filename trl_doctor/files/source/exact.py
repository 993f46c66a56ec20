"""Whether the reader evaluates the code of a function exactly as Python does."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence

from trl_doctor.files.source.objects import Function
from trl_doctor.files.source.steady import steady
from trl_doctor.files.source.text import Piece

METHODS = frozenset({
    "append", "apply_chat_template", "capitalize", "casefold", "count", "endswith", "extend",
    "find", "format", "get", "isalpha", "isdigit", "islower", "isspace", "isupper", "join", "lower",
    "lstrip", "partition", "removeprefix", "removesuffix", "replace", "rfind", "rpartition",
    "rsplit", "rstrip", "split", "splitlines", "startswith", "strip", "swapcase", "title", "upper",
})  # fmt: skip
BUILTINS = frozenset({"all", "any", "bool", "dict", "enumerate", "float", "int", "len", "list",
                      "max", "min", "range", "sorted", "str", "sum", "zip"})  # fmt: skip
"""What is evaluated as Python does; much else is only evaluated nearly so."""

ONCE = frozenset({"enumerate", "zip"})
"""Functions whose result is empty when it is gone over a second time."""

TAKE_ALL = frozenset({"all", "any", "join", "list", "max", "min", "sorted", "sum"})
"""What goes over its argument once, and keeps nothing of it but the items."""

REFUSED = (
    ast.Try, ast.While, ast.With, ast.Import, ast.ImportFrom, ast.Global, ast.Nonlocal, ast.Await,
    ast.Yield, ast.YieldFrom, ast.Set, ast.SetComp, ast.NamedExpr, ast.Delete, ast.Match,
)  # fmt: skip


def takes_rows(callee: Function, pieces: Sequence[Piece], more: Collection[str] = ()) -> bool:
    """Whether it is a plain function of one value, as `map` calls it with a row.

    It may get further arguments by the names in `more`. What it reads of the script has to be the
    same at each time.
    """
    signature = callee.node.args
    names = [*signature.posonlyargs, *signature.args]
    own = len(names) - (callee.owner is not None) - len(signature.defaults)
    own -= sum(name.arg in more for name in names[: len(names) - len(signature.defaults)])
    read = with_called(callee)
    return own == 1 and all(map(_is_exact, read)) and steady(read, pieces)


def with_called(callee: Function) -> list[Function]:
    """A function and those of the script that it calls by their names."""
    found = [callee]
    for function in found:
        for node in ast.walk(function.node):
            inner = function.scope.find(node.id) if isinstance(node, ast.Name) else None
            if isinstance(inner, Function) and all(inner.node is not f.node for f in found):
                found.append(inner)
    return found


def _is_exact(callee: Function) -> bool:
    """Whether its code has nothing that is only nearly evaluated as Python does."""
    if isinstance(callee.node, ast.AsyncFunctionDef) or callee.decorated:
        return False
    defaults = [*callee.node.args.defaults, *callee.node.args.kw_defaults]
    if not all(isinstance(default, ast.Constant | ast.Name | None) for default in defaults):
        return False  # a list would be one for all calls
    bound = {node.id for node in ast.walk(callee.node)
             if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}  # fmt: skip
    bound |= {node.arg for node in ast.walk(callee.node) if isinstance(node, ast.arg)}
    over = {id(node) for parent in ast.walk(callee.node) for node in _gone_over(parent)}
    for node in ast.walk(callee.node):
        if isinstance(node, REFUSED) or _ends_a_loop(node):
            return False
        name = (
            node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
        )
        if (isinstance(node, ast.GeneratorExp) or name in ONCE) and id(node) not in over:
            return False
        if isinstance(node, ast.Call) and not _is_known(node, callee, bound):
            return False
    return True


def _is_known(call: ast.Call, callee: Function, bound: Collection[str]) -> bool:
    """Whether a call is one of what the reader knows: by its name, which nothing else has."""
    if isinstance(call.func, ast.Attribute):
        return call.func.attr in METHODS
    if not isinstance(call.func, ast.Name) or call.func.id in bound:
        return False
    found = callee.scope.find(call.func.id)
    return isinstance(found, Function) or (found is None and call.func.id in BUILTINS)


def _gone_over(node: ast.AST) -> Iterator[ast.AST]:
    """What a node goes over once, from its beginning to its end."""
    if isinstance(node, ast.For | ast.comprehension):
        yield node.iter
    elif isinstance(node, ast.Call):
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        yield from node.args if name in ONCE | TAKE_ALL else ()


def _ends_a_loop(node: ast.AST) -> bool:
    """Whether it is a loop that may end before its last turn, or of which that is asked."""
    ends = ast.Return | ast.Break
    return isinstance(node, ast.For) and (
        bool(node.orelse) or any(isinstance(inner, ends) for inner in ast.walk(node))
    )
