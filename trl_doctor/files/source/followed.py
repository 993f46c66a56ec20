"""Which keys of a dictionary a script reads, where each use of it reads one by its name.

It is followed through names, attributes and calls of the script's own functions. One that is passed
on as a whole, or read by a name that is not written, raises `Followed`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from msgspec import Struct, field

from trl_doctor.files.source.names import last_name, root_name

DEEPEST = 8
"""Calls and assignments through which a dictionary is followed."""

READERS = ("get", "pop", "setdefault")
LOOKS = ("print", "pprint", "len", "info", "debug")
"""Calls that only show what they get."""


Reads: TypeAlias = dict[str, list[ast.expr]]
"""Keys that are read, with the expressions that read them."""


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


def noted(trees: Iterable[ast.Module]) -> Code:
    """What is known of these trees."""
    code = Code()
    for tree in trees:
        _note(code, tree)
    return code


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


def pairs_of(display: ast.expr) -> list[tuple[str, ast.expr]]:
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


def read_of(code: Code, use: ast.expr, left: int) -> Reads:
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
            if any(value is use for _, value in pairs_of(call)):
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
    key = next((name for name, value in pairs_of(display) if value is use), "")
    if not key:
        raise Followed
    return read_of_all(code, read_of(code, display, left - 1).get(key, ()), left)


def read_of_all(code: Code, uses: Iterable[ast.expr], left: int) -> Reads:
    reads: Reads = {}
    for use in uses:
        for name, nodes in read_of(code, use, left - 1).items():
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
    function = own_function(code, call)
    names, only_named = arguments_of(code, function)
    if isinstance(place, int) and place >= len(names):
        raise Followed
    taken = names[place] if isinstance(place, int) else place
    if taken not in (*names, *only_named):
        raise Followed
    return read_of_argument(code, function, taken, left)


def own_function(code: Code, call: ast.Call) -> ast.FunctionDef:
    """The function of the script that a call surely runs."""
    defined = code.functions.get(last_name(call.func), ())
    if root_name(call.func) in code.modules and isinstance(call.func, ast.Attribute):
        raise Followed
    if len(defined) != 1 or any(isinstance(one, ast.Starred) for one in call.args):
        raise Followed
    function = defined[0]
    if function is None or function.decorator_list:
        raise Followed
    return function


def arguments_of(code: Code, function: ast.FunctionDef) -> tuple[list[str], list[str]]:
    """The names of its arguments, without `self`, and of those that are only passed by name."""
    inside = isinstance(code.parents.get(function), ast.ClassDef)
    names = [one.arg for one in (*function.args.posonlyargs, *function.args.args)][inside:]
    return names, [one.arg for one in function.args.kwonlyargs]


def read_of_argument(code: Code, function: ast.FunctionDef, taken: str, left: int) -> Reads:
    """The keys that a function reads of one of its arguments."""
    nodes = [one for one in ast.walk(function) if isinstance(one, ast.Name) and one.id == taken]
    if any(not isinstance(one.ctx, ast.Load) for one in nodes):
        raise Followed
    return read_of_all(code, nodes, left)


def _by_name(code: Code, target: ast.expr, left: int) -> Reads:
    """The keys that are read of the name or of the attribute that an assignment gives it."""
    if isinstance(target, ast.Name):
        uses: Sequence[ast.expr] = code.loads.get(target.id, ())
        if code.bound.get(target.id) != 1:
            raise Followed
    elif isinstance(target, ast.Attribute) and last_name(target.value) == "self":
        uses, own = [], _class(code, target)
        for one in code.attributes[target.attr]:
            if last_name(one.value) == "self" and not _may_be(code, _class(code, one), own):
                continue
            if last_name(one.value) != "self" or (one is not target and _stored(one)):
                raise Followed
            uses = [*uses, one] if one is not target else uses
    else:
        raise Followed
    return read_of_all(code, uses, left)


def _stored(node: ast.Attribute) -> bool:
    return not isinstance(node.ctx, ast.Load)


def _may_be(code: Code, one: ast.ClassDef | None, own: ast.ClassDef | None) -> bool:
    """Whether an object can be of both classes: one is the other, or has a parent here."""
    if one is own or one is None or own is None:
        return True
    parents = {last_name(base) for base in (*one.bases, *own.bases)}
    return any(name in code.functions for name in parents)


def _class(code: Code, node: ast.AST) -> ast.ClassDef | None:
    """The class in which a node is."""
    around = code.parents.get(node)
    while around is not None and not isinstance(around, ast.ClassDef):
        around = code.parents.get(around)
    return around
