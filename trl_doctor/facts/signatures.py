"""How a function can be called and whether it returns anything, by its text."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from trl_doctor.core.finding import Place


@dataclass(frozen=True)
class Signature:
    """`takes` are the arguments that can be given by name, `wants` those that must be given.

    `others` says that it takes any other (`**kwargs`). `returns` is False where it surely returns
    nothing. `reads_messages` says that it takes completions for conversations.
    """

    name: str
    place: Place
    takes: tuple[str, ...]
    wants: tuple[str, ...]
    others: bool
    returns: bool
    reads_messages: bool = False


def signature(
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda,
    name: str,
    place: Place,
    skip: int = 0,
) -> Signature:
    """The signature of a function; `skip` first arguments are given already (`self`)."""
    said = node.args
    plain = [one.arg for one in said.args][max(0, skip - len(said.posonlyargs)) :]
    with_default = len(said.defaults)
    positional = [*(one.arg for one in said.posonlyargs), *(one.arg for one in said.args)]
    wants = positional[skip : len(positional) - with_default]
    wants += [
        one.arg
        for one, default in zip(said.kwonlyargs, said.kw_defaults, strict=True)
        if not default
    ]
    takes = (*plain, *(one.arg for one in said.kwonlyargs))
    open_ = said.kwarg is not None
    reads = _reads_messages(node)
    return Signature(name, place, takes, tuple(wants), open_, _returns(node), reads)


def _returns(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> bool:
    """Whether it may return something: a `return` with a value, a `yield`, or an end by `raise`."""
    if isinstance(node, ast.Lambda):
        return True
    for one in _own(node):
        if isinstance(one, ast.Yield | ast.YieldFrom | ast.Raise):
            return True
        if isinstance(one, ast.Return) and one.value is not None:
            return True
    return False


def _own(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function without those of functions inside it."""
    for one in ast.iter_child_nodes(node):
        if not isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            yield one
            yield from _own(one)


def _reads_messages(node: ast.AST) -> bool:
    """Whether it reads `…[0]["content"]`, and looks at no type before."""
    names = {getattr(one, "id", getattr(one, "attr", "")) for one in ast.walk(node)}
    if "isinstance" in names or any(isinstance(one, ast.Try) for one in ast.walk(node)):
        return False
    return any(
        isinstance(one, ast.Subscript)
        and getattr(one.slice, "value", None) == "content"
        and isinstance(one.value, ast.Subscript)
        for one in ast.walk(node)
    )
