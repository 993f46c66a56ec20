"""What a call in a script is known to return, and what it does to objects of libraries."""

from __future__ import annotations

import ast

from trl_doctor.files.source import (
    attributes,
    builtin,
    configuration,
    containers,
    copies,
    entries,
    files,
    forwarding,
    functions,
    ordering,
)
from trl_doctor.files.source.command_line import commands, parsers
from trl_doctor.files.source.joined import GIVEN
from trl_doctor.files.source.names import last_name
from trl_doctor.files.source.objects import Arguments, Class, Function, Instance, Parser, Scope
from trl_doctor.files.source.state import State
from trl_doctor.files.source.values import (
    Deed,
    LibraryObject,
    Many,
    NamedValue,
    Outside,
    Plain,
    Span,
    Table,
    Unknown,
    Value,
)

SAME = frozenset(
    {"to", "cuda", "cpu", "eval", "train", "bfloat16", "half", "float", "requires_grad_"}
)
"""Methods of a model that return the model."""

ELSEWHERE = ("remote", "local", "spawn", "submit", "delay", "apply_async")
"""Methods by which ray, Modal, Prefect and Celery call a function of the script elsewhere."""

ARGPARSE = frozenset(
    f"{module}.ArgumentParser" for module in ("argparse", "simple_parsing", "jsonargparse")
)


def call(state: State, node: ast.Call, scope: Scope) -> Value:
    """The value of a call."""
    if isinstance(node.func, ast.Attribute):
        if value := _of_super(state, node, scope):
            return value
        owner = state.evaluate(node.func.value, scope)
        handed = arguments(state, node, scope)
        if isinstance(owner, Function) and node.func.attr in ELSEWHERE:
            return functions.function(state, owner, handed, node)
        value = _method(state, owner, node.func.attr, handed, node)
        if value is not None:
            return value
        callee = attributes.attribute(state, owner, node.func.attr, node.func)
    else:
        callee = state.evaluate(node.func, scope)
        handed = arguments(state, node, scope)
    return apply(state, callee, handed, node)


def arguments(state: State, node: ast.Call, scope: Scope) -> Arguments:
    """The arguments of a call, `*` and `**` opened where they are known."""
    handed = Arguments([], {})
    for argument in node.args:
        if isinstance(argument, ast.Starred):
            inner = state.evaluate(argument.value, scope)
            if isinstance(inner, Many):
                handed.values += inner.items
            else:
                handed.rest = _open(state, inner, argument.value, "*")
        else:
            handed.values.append(state.evaluate(argument, scope))
    for keyword in node.keywords:
        value = state.evaluate(keyword.value, scope)
        if keyword.arg is not None:
            whole = state.span(keyword)
            name = Span(
                whole.source,
                whole.line,
                whole.column,
                whole.line,
                whole.column + len(keyword.arg.encode()),
            )
            handed.keywords[keyword.arg] = NamedValue(value, name, whole)
        elif isinstance(value, Table):
            handed.keywords.update({str(key): entry for key, entry in value.entries.items()})
            handed.rest = handed.rest or value.rest
        else:
            handed.rest = _open(state, value, keyword.value, "**")
    return handed


def _open(state: State, value: Value, node: ast.expr, stars: str) -> Unknown:
    shown = f"{stars}{state.shown(node)}"
    more = f": {value.why}" if isinstance(value, Unknown) else ""
    return Unknown(f"`{shown}` may hold it{more}", state.span(node))


def apply(state: State, callee: Value, handed: Arguments, node: ast.Call) -> Value:
    """What calling a value returns."""
    if not isinstance(callee, Function | Class):
        _leave_script(handed)
    if isinstance(callee, Outside):
        return _outside(state, callee.name, handed, node)
    if isinstance(callee, Function):
        bare = not handed.values and not handed.keywords and handed.rest is None
        if bare and commands.is_command(callee):
            return functions.enter(state, callee, node)
        return functions.function(state, callee, handed, node)
    if isinstance(callee, Class):
        if (parser := parsers.of_own_class(callee, handed)) is not None:
            return parser
        if (model := configuration.made(state, callee, handed, node)) is not None:
            return model
        passed_on = forwarding.passed_on(state, callee, handed, node, arguments)
        return functions.instance(state, callee, handed, node, passed_on)
    if isinstance(callee, LibraryObject) and callee.of == "functools.partial" and callee.arguments:
        function, *first = callee.arguments
        whole = Arguments(
            [*first, *handed.values],
            {**callee.keywords, **handed.keywords},
            callee.rest or handed.rest,
        )
        return apply(state, function, whole, node)
    if isinstance(callee, LibraryObject):
        return state.new(
            f"{callee.of}.__call__", node, handed.values, handed.keywords, handed.rest, callee
        )
    if isinstance(callee, Instance) and callee.cls:
        member = callee.cls.member("__call__")
        if isinstance(member, Function):
            return functions.function(state, functions.owned(member, callee), handed, node)
    if isinstance(callee, Unknown) and GIVEN in callee.why:
        return Unknown(callee.why, state.span(node))
    return state.unknown(node)


def _leave_script(handed: Arguments) -> None:
    """Note what something outside the script gets: it may add options, or read any setting."""
    for handed_value in (*handed.values, *(word.value for word in handed.keywords.values())):
        if isinstance(handed_value, Parser):
            handed_value.open = True
        elif isinstance(handed_value, Instance):
            handed_value.shared = True


def _outside(state: State, name: str, handed: Arguments, node: ast.Call) -> Value:
    value = ordering.of_lists(state, name, handed, node)
    value = value or builtin.call(state, name, handed.values, handed.keywords, node)
    if isinstance(value, Table | Instance) and handed.rest is not None:
        value.rest = value.rest or handed.rest
    if value is not None:
        return value
    for made_by in (entries.call, configuration.call):
        if (made := made_by(state, name, handed, node)) is not None:
            return made
    short = name.rpartition(".")[2]
    if short in parsers.OF_CLASSES:
        return parsers.of_classes(handed)
    if name in ARGPARSE:
        return parsers.of_options(name, handed.keywords)
    values, keywords = copies.taken(name, handed.values, handed.keywords)
    return state.new(name, node, values, keywords, handed.rest)


def _method(
    state: State, owner: Value, name: str, handed: Arguments, node: ast.Call
) -> Value | None:
    """What a method returns; None if the owner is nothing that has known methods."""
    if (configured := configuration.method(state, owner, name, handed, node)) is not None:
        return configured
    if isinstance(owner, Parser):
        owner.open = owner.open or handed.rest is not None
        return parsers.method(state, owner, name, handed.values, handed.keywords, node)
    if isinstance(owner, LibraryObject):
        return _of_made(state, owner, name, handed, node)
    if isinstance(owner, Plain) and name == "read_text":
        return files.text_of(state, owner, node) or state.new(
            "pathlib.Path.read_text", node, [owner], {}
        )
    if isinstance(owner, Plain) and name == "open":  # texts have no such method, paths do
        return state.new("builtins.open", node, [owner], {})
    if isinstance(owner, Plain) and owner.value is None:
        return state.unknown(node, _variable(node))
    if isinstance(owner, Plain | Many | Table):
        return containers.method(state, owner, name, handed.values, handed.keywords, node)
    if isinstance(owner, Unknown) and owner.of is not None:
        return Unknown(f"it is `{state.shown(node)}`", state.span(node))
    return None


def _variable(node: ast.Call) -> str:
    """Why `os.getenv("X").strip()` is not known: something sets the variable; "" for others."""
    inner = getattr(node.func, "value", None)
    if not isinstance(inner, ast.Call) or last_name(inner.func) not in ("getenv", "get"):
        return ""
    named = inner.args[0] if len(inner.args) == 1 else None
    reads = ast.unparse(inner.func).endswith(("getenv", "environ.get"))
    name = named.value if isinstance(named, ast.Constant) else None
    return f"it is the environment variable {name}" if reads and isinstance(name, str) else ""


def _of_made(
    state: State, owner: LibraryObject, name: str, handed: Arguments, node: ast.Call
) -> Value:
    if state.library and (given := state.library(owner, name, handed)) is not None:
        return given
    span = state.span(node)
    _leave_script(handed)
    deed = Deed(name, handed.values, handed.keywords, span, tuple(state.guards), handed.rest)
    owner.deeds.append(deed)
    if name in SAME:
        return owner
    opened = name == "read" and owner.of == "builtins.open" and not handed.values
    if opened and (text := files.text_of(state, owner, node)):
        return text
    deed.result = state.new(
        f"{owner.of}.{name}", node, handed.values, handed.keywords, handed.rest, owner
    )
    return deed.result


def _of_super(state: State, node: ast.Call, scope: Scope) -> Value | None:
    """`super().method(…)` of a class of the script."""
    assert isinstance(node.func, ast.Attribute)
    inner = node.func.value
    if not (
        isinstance(inner, ast.Call)
        and isinstance(inner.func, ast.Name)
        and inner.func.id == "super"
    ):
        return None
    owner = scope.find("self")
    if not isinstance(owner, Instance) or owner.cls is None:
        return state.unknown(node)
    for base in owner.cls.bases:
        member = base.member(node.func.attr) if isinstance(base, Class) else None
        if isinstance(member, Function):
            return functions.function(
                state, functions.owned(member, owner), arguments(state, node, scope), node
            )
    return state.unknown(node)
