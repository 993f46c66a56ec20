"""Functions and classes of a script: what their calls return."""

from __future__ import annotations

import ast

from trl_doctor.files.source import merging
from trl_doctor.files.source.command_line import commands, filling
from trl_doctor.files.source.objects import (
    RETURNED,
    Arguments,
    Class,
    Function,
    Instance,
    Scope,
    of_library,
)
from trl_doctor.files.source.state import DEEPEST, State
from trl_doctor.files.source.values import (
    LibraryObject,
    Many,
    NamedValue,
    Plain,
    Table,
    Unknown,
    Value,
)


def owned(member: Function, owner: Value) -> Function:
    return Function(member.node, member.scope, member.source, owner, member.decorated, member.cls)


def function(state: State, callee: Function, handed: Arguments, node: ast.AST) -> Value:
    """Run a function of the script with these arguments."""
    again = callee.node in state.stack and not merging.may_recur(state, callee, handed)
    if again or len(state.stack) >= DEEPEST:
        return state.unknown(node)
    state.called.add(callee.node)
    inner = Scope({}, callee.scope)
    fill(state, inner, callee, handed, node)
    return inside(state, callee, inner)


def inside(state: State, callee: Function, inner: Scope) -> Value:
    """Run the body of a function in its scope."""
    before, state.source = state.source, callee.source
    state.stack.append(callee.node)
    try:
        if isinstance(callee.node, ast.Lambda):
            return state.evaluate(callee.node.body, inner)
        return run_body(state, callee.node, inner)
    finally:
        state.stack.pop()
        state.source = before


def fill(state: State, inner: Scope, callee: Function, handed: Arguments, node: ast.AST) -> None:
    """Give the parameters their values."""
    signature = callee.node.args
    names = [argument.arg for argument in (*signature.posonlyargs, *signature.args)]
    values = [callee.owner, *handed.values] if callee.owner is not None else list(handed.values)
    inner.names.update(_defaults(state, callee))
    for parameter in (*names, *(argument.arg for argument in signature.kwonlyargs)):
        if handed.rest is not None:
            inner.names[parameter] = handed.rest
        inner.names.setdefault(
            parameter, Unknown(f"the argument {parameter} is not given", state.span(node))
        )
    inner.names.update(zip(names, values, strict=False))
    parameters = {*names, *(argument.arg for argument in signature.kwonlyargs)}
    inner.names.update(
        {key: value.value for key, value in handed.keywords.items() if key in parameters}
    )
    if signature.vararg:
        more = values[len(names) :]
        inner.names[signature.vararg.arg] = (
            Many(more, None, "tuple") if not handed.rest else handed.rest
        )
    if signature.kwarg:
        others = {key: value for key, value in handed.keywords.items() if key not in parameters}
        inner.names[signature.kwarg.arg] = Table(dict(others), handed.rest)


def _defaults(state: State, callee: Function) -> dict[str, Value]:
    signature, defaults = callee.node.args, {}
    before, state.source = state.source, callee.source
    ordered = [*signature.posonlyargs, *signature.args]
    for parameter, value in zip(reversed(ordered), reversed(signature.defaults), strict=False):
        defaults[parameter.arg] = state.evaluate(value, callee.scope)
    for parameter, default in zip(signature.kwonlyargs, signature.kw_defaults, strict=True):
        if default is not None:
            defaults[parameter.arg] = state.evaluate(default, callee.scope)
    state.source = before
    return defaults


def enter(state: State, callee: Function, node: ast.AST, words: bool = False) -> Value:
    """Run a function as a command: the command line gives its parameters, else their defaults.

    With `words` the command line has no dashes: `lr=1`.
    """
    defaults = _defaults(state, callee)
    own = commands.stated(state, callee, defaults, node)
    parsed = filling.of_function(state, callee, {**defaults, **own}, node, words)
    parsed.keywords = {
        **{name: NamedValue(value) for name, value in own.items()},
        **parsed.keywords,
    }
    return function(state, callee, parsed, node)


def instance(
    state: State,
    cls: Class,
    handed: Arguments,
    node: ast.Call,
    passed_on: Arguments | None = None,
) -> Value:
    """An object of a class of the script; one of a library's where it derives from that.

    `passed_on` is what an `__init__` of its own gives to that of the library.
    """
    if (outside := of_library(cls)) is not None:
        return _derived(state, cls, outside.name, handed, node, passed_on)
    result = Instance(cls, {}, span=state.span(node))
    fields = cls.all_fields()
    member = cls.member("__init__")
    if isinstance(member, Function):
        function(state, owned(member, result), handed, node)
        return result
    result.attributes.update(fields)
    if handed.rest is not None:
        required = [k for k, v in fields.items() if filling.is_required(v)]
        result.attributes.update(dict.fromkeys(required, NamedValue(handed.rest)))
    result.attributes.update(
        {k: NamedValue(v) for k, v in zip(fields, handed.values, strict=False)}
    )
    result.attributes.update(handed.keywords)
    result.rest = handed.rest
    result.stated = frozenset([*list(fields)[: len(handed.values)], *handed.keywords])
    state.settings.append(result)
    after = cls.member("__post_init__")
    if isinstance(after, Function):
        function(state, owned(after, result), Arguments([], {}), node)
    return result


def _derived(
    state: State,
    cls: Class,
    name: str,
    handed: Arguments,
    node: ast.Call,
    passed_on: Arguments | None,
) -> LibraryObject:
    fields = cls.all_fields()
    own = isinstance(cls.member("__init__"), Function)
    handed = passed_on or handed
    rest = handed.rest
    if own and passed_on is None:
        rest = rest or Unknown(f"{cls.node.name} has an __init__ of its own", state.span(node))
    arguments = {**fields, **handed.keywords}
    made = state.new(name, node, handed.values, arguments, rest)
    made.fields = frozenset(fields)
    made.own = cls.all_members()
    if name.endswith(("Config", "Arguments")):
        held = {key: arguments[key] for key in fields}
        stated = frozenset(fields) & frozenset(handed.keywords)
        state.settings.append(Instance(cls, held, rest, made.span, stated, derived=True))
    return made


def run_body(state: State, node: ast.FunctionDef | ast.AsyncFunctionDef, scope: Scope) -> Value:
    """Run a function's body in its scope; what it returns."""
    before, depth = scope.names.pop(RETURNED, None), len(state.guards)
    assert before is None and depth >= 0
    state.block(node.body, scope)
    return scope.names.pop(RETURNED, Plain(None))
