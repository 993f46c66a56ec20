"""Keys of a dictionary in a script that nothing in it reads.

The dictionary is followed through names, attributes and calls of the script's own functions, as
long as each use of it reads a key by name. One that is passed on as a whole is left out.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from msgspec import Struct, field

from trl_doctor.files.source.names import last_name, root_name
from trl_doctor.files.source.values import Span

FEWEST = 2
"""Keys of a dictionary that have to be read before one that is not is of interest."""

DEEPEST = 8
"""Calls and assignments through which a dictionary is followed."""

READERS = ("get", "pop", "setdefault")
LOOKS = ("print", "pprint", "len", "info", "debug")
"""Calls that only show what they get."""


Reads: TypeAlias = dict[str, list[ast.expr]]
"""Keys that are read, with the expressions that read them."""


class UnreadKey(Struct, frozen=True, eq=False):
    """A key with a constant for its value."""

    name: str
    value: bool | int | float | str
    span: Span


class Followed(Exception):
    """A dictionary may be read in a way that is not known."""


class Code(Struct, eq=False):
    """What the trees of a script define, and what each of their nodes is part of."""

    parents: dict[ast.AST, ast.AST] = field(default_factory=dict)
    functions: dict[str, list[ast.FunctionDef | None]] = field(default_factory=dict)
    loads: dict[str, list[ast.Name]] = field(default_factory=dict)
    bound: dict[str, int] = field(default_factory=dict)
    attributes: dict[str, list[ast.Attribute]] = field(default_factory=dict)
    modules: set[str] = field(default_factory=set)


def unread_keys(trees: Sequence[ast.Module]) -> Iterator[UnreadKey]:
    """Those of dictionaries of which the script reads other keys, each by its name."""
    code = Code()
    for tree in trees:
        _note(code, tree)
    for number, tree in enumerate(trees):
        for node in ast.walk(tree):
            if isinstance(node, ast.Dict | ast.Call):
                yield from _of_display(code, number, node)


def _note(code: Code, tree: ast.Module) -> None:
    for node in ast.walk(tree):
        for inner in ast.iter_child_nodes(node):
            code.parents[inner] = node
        if isinstance(node, ast.FunctionDef):
            code.functions.setdefault(node.name, []).append(node)
        elif isinstance(node, ast.AsyncFunctionDef):
            code.functions.setdefault(node.name, []).append(None)
        elif isinstance(node, ast.ClassDef):
            made = [one for one in node.body if isinstance(one, ast.FunctionDef)]
            begin = next((one for one in made if one.name == "__init__"), None)
            code.functions.setdefault(node.name, []).append(begin)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            code.loads.setdefault(node.id, []).append(node)
        elif isinstance(node, ast.Name | ast.arg):
            name = node.id if isinstance(node, ast.Name) else node.arg
            code.bound[name] = code.bound.get(name, 0) + 1
        elif isinstance(node, ast.Import):
            code.modules |= {one.asname or one.name.partition(".")[0] for one in node.names}
        elif isinstance(node, ast.Attribute):
            code.attributes.setdefault(node.attr, []).append(node)


def _of_display(code: Code, number: int, display: ast.expr) -> Iterator[UnreadKey]:
    pairs = _pairs(display)
    names = {name for name, _ in pairs}
    if len(names) <= FEWEST or len(names) < len(pairs):
        return
    try:
        read = _read(code, display, DEEPEST)
    except Followed:
        return
    if len(read.keys() & names) < FEWEST:
        return
    for name, value in pairs:
        called = any(_is_called(code, one) for one in code.loads.get(name, ()))
        constant = value.value if isinstance(value, ast.Constant) else None
        if name not in read and not called and isinstance(constant, bool | int | float | str):
            yield UnreadKey(name, constant, _span(number, value))


def _pairs(display: ast.expr) -> list[tuple[str, ast.expr]]:
    """The keys of `{"a": 1}` or `dict(a=1)` with their values; none if one is not written so."""
    if isinstance(display, ast.Dict):
        keys = [one.value if isinstance(one, ast.Constant) else None for one in display.keys]
        pairs = zip(keys, display.values, strict=True)
        known = [(key, value) for key, value in pairs if isinstance(key, str)]
        return known if len(known) == len(keys) else []
    if isinstance(display, ast.Call) and isinstance(display.func, ast.Name):
        named = [(one.arg, one.value) for one in display.keywords if one.arg]
        if display.func.id == "dict" and not display.args:
            return named if len(named) == len(display.keywords) else []
    return []


def _is_called(code: Code, name: ast.Name) -> bool:
    """Whether it is a function that does what the key says."""
    call = code.parents.get(name)
    return isinstance(call, ast.Call) and call.func is name


def _read(code: Code, use: ast.expr, left: int) -> Reads:
    """The keys that are read where an expression, a dictionary, is used."""
    parent = code.parents.get(use)
    if left == 0:
        raise Followed
    if isinstance(parent, ast.Subscript) and parent.value is use:
        return {_name(parent.slice): [parent]}
    if isinstance(parent, ast.Attribute):
        call = code.parents.get(parent)
        if isinstance(call, ast.Call) and call.args and parent.attr in READERS:
            return {_name(call.args[0]): [call]}
    elif isinstance(parent, ast.Compare):
        if all(isinstance(op, ast.In | ast.NotIn) for op in parent.ops):
            return {_name(parent.left): []}
    elif isinstance(parent, ast.Call):
        place = parent.args.index(use) if use in parent.args else len(parent.args)
        return _by_call(code, parent, place, left)
    elif isinstance(parent, ast.keyword) and parent.arg:
        call = code.parents.get(parent)
        if isinstance(call, ast.Call):
            if any(value is use for _, value in _pairs(call)):
                return _inside(code, call, use, left)
            return _by_call(code, call, parent.arg, left)
    elif isinstance(parent, ast.Dict):
        return _inside(code, parent, use, left)
    elif isinstance(parent, ast.Assign) and len(parent.targets) == 1:
        return _by_name(code, parent.targets[0], left)
    elif isinstance(parent, ast.AnnAssign):
        return _by_name(code, parent.target, left)
    raise Followed


def _inside(code: Code, display: ast.expr, use: ast.expr, left: int) -> Reads:
    """The keys that are read of a dictionary which is the value of a key of another one."""
    key = next((name for name, value in _pairs(display) if value is use), "")
    if not key:
        raise Followed
    return _all(code, _read(code, display, left - 1).get(key, ()), left)


def _all(code: Code, uses: Iterable[ast.expr], left: int) -> Reads:
    reads: Reads = {}
    for use in uses:
        for name, nodes in _read(code, use, left - 1).items():
            reads.setdefault(name, []).extend(nodes)
    return reads


def _name(key: ast.expr) -> str:
    if isinstance(key, ast.Constant) and isinstance(key.value, str):
        return key.value
    raise Followed


def _by_call(code: Code, call: ast.Call, place: int | str, left: int) -> Reads:
    """The keys that a function of the script reads of its argument."""
    name = last_name(call.func)
    if name in LOOKS and name not in code.functions:
        return {}
    defined = code.functions.get(name, ())
    if root_name(call.func) in code.modules and isinstance(call.func, ast.Attribute):
        raise Followed
    if len(defined) != 1 or any(isinstance(one, ast.Starred) for one in call.args):
        raise Followed
    function = defined[0]
    if function is None or function.decorator_list:
        raise Followed
    inside = isinstance(code.parents.get(function), ast.ClassDef)
    names = [one.arg for one in (*function.args.posonlyargs, *function.args.args)][inside:]
    if isinstance(place, int) and place >= len(names):
        raise Followed
    taken = names[place] if isinstance(place, int) else place
    if taken not in (*names, *(one.arg for one in function.args.kwonlyargs)):
        raise Followed
    nodes = [one for one in ast.walk(function) if isinstance(one, ast.Name) and one.id == taken]
    if any(not isinstance(one.ctx, ast.Load) for one in nodes):
        raise Followed
    return _all(code, nodes, left)


def _by_name(code: Code, target: ast.expr, left: int) -> Reads:
    """The keys that are read of the name or of the attribute that an assignment gives it."""
    if isinstance(target, ast.Name):
        uses: Sequence[ast.expr] = code.loads.get(target.id, ())
        if code.bound.get(target.id) != 1:
            raise Followed
    elif isinstance(target, ast.Attribute) and last_name(target.value) == "self":
        uses, own = [], _class(code, target)
        for one in code.attributes[target.attr]:
            if last_name(one.value) == "self" and _class(code, one) is not own:
                continue
            if last_name(one.value) != "self" or (one is not target and _stored(one)):
                raise Followed
            uses = [*uses, one] if one is not target else uses
    else:
        raise Followed
    return _all(code, uses, left)


def _stored(node: ast.Attribute) -> bool:
    return not isinstance(node.ctx, ast.Load)


def _class(code: Code, node: ast.AST) -> ast.AST | None:
    """The class in which a node is."""
    around = code.parents.get(node)
    while around is not None and not isinstance(around, ast.ClassDef):
        around = code.parents.get(around)
    return around


def _span(number: int, node: ast.expr) -> Span:
    end_line, end_column = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
    return Span(number, node.lineno, node.col_offset, end_line, end_column)
