"""How a function can be called and whether it returns a value, from its source."""

from __future__ import annotations

import ast

from msgspec import Struct

from trl_doctor.core.finding import Place
from trl_doctor.facts.functions.columns import looked_up
from trl_doctor.facts.functions.function_body import body_nodes
from trl_doctor.facts.functions.patterns import of_one_line
from trl_doctor.facts.functions.searches import sought
from trl_doctor.facts.functions.texts import gives_one, text_use


class Signature(Struct, frozen=True):
    """`takes` are the arguments that can be passed by name, `wants` the required ones.

    `others` says that it accepts any other (`**kwargs`). `returns` is False if it certainly returns
    nothing. `reads_messages` says that it treats completions as conversations. `one_line` is a
    pattern that misses texts of several lines between two tags. `gives_none` says that it puts None
    into the list that it returns, at least on some path. `text_use` is what it does to a completion
    that only a text allows, `gives_one` says that it always returns one reward. `sought` are the
    texts that it looks for in completions, `looked_up` the names that it reads from `**kwargs`,
    `reads` the arguments that its code mentions.
    """

    name: str
    place: Place
    takes: tuple[str, ...]
    wants: tuple[str, ...]
    others: bool
    returns: bool
    reads_messages: bool = False
    one_line: str = ""
    gives_none: bool = False
    text_use: str = ""
    gives_one: bool = False
    sought: tuple[str, ...] = ()
    looked_up: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()


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
    returns, none = _returns(node), _gives_none(node)
    traits = (returns, reads, one_line, none, text_use(node), gives_one(node), sought(node),
              looked_up(node), _mentioned(node, takes))  # fmt: skip
    return Signature(name, place, takes, tuple(wants), others, *traits)


def _mentioned(node: ast.AST, names: tuple[str, ...]) -> tuple[str, ...]:
    """The names that are used in the code of a function, also of one inside it."""
    used = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
    return tuple(name for name in names if name in used)


def _returns(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> bool:
    """Whether it can return a value: a `return` with a value, a `yield`, or a `raise`."""
    if isinstance(node, ast.Lambda):
        return True
    for child in body_nodes(node):
        if isinstance(child, ast.Yield | ast.YieldFrom | ast.Raise):
            return True
        if isinstance(child, ast.Return) and child.value is not None:
            return True
    return False


def _gives_none(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> bool:
    """Whether it returns a list that is written, or filled by `append`, with None somewhere."""
    if isinstance(node, ast.Lambda):
        return _has_none(node.body)
    inside = list(body_nodes(node))
    returned = [inner.value for inner in inside if isinstance(inner, ast.Return) and inner.value]
    names = {value.id for value in returned if isinstance(value, ast.Name)}
    calls = (inner for inner in inside if isinstance(inner, ast.Call) and len(inner.args) == 1)
    appended = (
        call.args[0]
        for call in calls
        if isinstance(call.func, ast.Attribute)
        and call.func.attr == "append"
        and getattr(call.func.value, "id", None) in names
    )
    return any(map(_has_none, returned)) or any(map(_may_be_none, appended))


def _has_none(value: ast.expr) -> bool:
    if isinstance(value, ast.ListComp):
        return _may_be_none(value.elt)
    return isinstance(value, ast.List) and any(map(_may_be_none, value.elts))


def _may_be_none(value: ast.expr) -> bool:
    if isinstance(value, ast.IfExp):
        return _may_be_none(value.body) or _may_be_none(value.orelse)
    return isinstance(value, ast.Constant) and value.value is None


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
