"""How a function can be called and whether it returns a value, from its source."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from trl_doctor.core.finding import Place
from trl_doctor.facts.reward_patterns import of_one_line


@dataclass(frozen=True)
class Signature:
    """`takes` are the arguments that can be passed by name, `wants` the required ones.

    `others` says that it accepts any other (`**kwargs`). `returns` is False if it certainly returns
    nothing. `reads_messages` says that it treats completions as conversations. `one_line` is a
    pattern that misses texts of several lines between two tags.
    """

    name: str
    place: Place
    takes: tuple[str, ...]
    wants: tuple[str, ...]
    others: bool
    returns: bool
    reads_messages: bool = False
    one_line: str = ""


def signature(
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda,
    name: str,
    place: Place,
    skip: int = 0,
) -> Signature:
    """The signature of a function without its first `skip` arguments, such as `self`."""
    arguments = node.args
    plain = [argument.arg for argument in arguments.args][
        max(0, skip - len(arguments.posonlyargs)) :
    ]
    with_default = len(arguments.defaults)
    positional = [
        *(argument.arg for argument in arguments.posonlyargs),
        *(argument.arg for argument in arguments.args),
    ]
    wants = positional[skip : len(positional) - with_default]
    wants += [
        argument.arg
        for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
        if not default
    ]
    takes = (*plain, *(argument.arg for argument in arguments.kwonlyargs))
    others = arguments.kwarg is not None
    reads = _reads_messages(node)
    one_line = of_one_line(node)
    return Signature(name, place, takes, tuple(wants), others, _returns(node), reads, one_line)


def _returns(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> bool:
    """Whether it can return a value: a `return` with a value, a `yield`, or a `raise`."""
    if isinstance(node, ast.Lambda):
        return True
    for child in _body_nodes(node):
        if isinstance(child, ast.Yield | ast.YieldFrom | ast.Raise):
            return True
        if isinstance(child, ast.Return) and child.value is not None:
            return True
    return False


def _body_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function, without those of nested functions."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(
            child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef
        ):
            yield child
            yield from _body_nodes(child)


def _reads_messages(node: ast.AST) -> bool:
    """Whether it reads `…[0]["content"]`, and checks no type before."""
    names = {getattr(child, "id", getattr(child, "attr", "")) for child in ast.walk(node)}
    if "isinstance" in names or any(isinstance(child, ast.Try) for child in ast.walk(node)):
        return False
    return any(
        isinstance(child, ast.Subscript)
        and getattr(child.slice, "value", None) == "content"
        and isinstance(child.value, ast.Subscript)
        for child in ast.walk(node)
    )
