"""What a class of the script passes on to the class of a library that it derives from."""

from __future__ import annotations

import ast
from collections.abc import Callable

from trl_doctor.files.source import functions
from trl_doctor.files.source.objects import Arguments, Class, Function, Scope, of_library
from trl_doctor.files.source.state import State
from trl_doctor.files.source.values import Unknown

Read = Callable[[State, ast.Call, Scope], Arguments]
"""The arguments of a call, as they are read elsewhere."""


def passed_on(
    state: State, cls: Class, handed: Arguments, node: ast.Call, read: Read
) -> Arguments | None:
    """The arguments of `super().__init__(…)`; None where they are not known.

    They are read where that is a statement of the `__init__`, and nothing before it can have
    changed what the parameters hold.
    """
    own = cls.member("__init__")
    if of_library(cls) is None or not isinstance(own, Function):
        return None
    if isinstance(own.node, ast.Lambda) or own.node in state.stack:
        return None
    call = _call(own.node.body, _parameters(own.node.args))
    if call is None or any(map(_replaces, ast.walk(own.node))):
        return None
    inner = Scope({}, own.scope)
    itself = Unknown(f"an object of {cls.node.name}", state.span(node))
    functions.fill(state, inner, functions.owned(own, itself), handed, node)
    before, state.source = state.source, own.source
    state.stack.append(own.node)
    try:
        given = read(state, call, inner)
    finally:
        state.stack.pop()
        state.source = before
    above = _above(cls, own)
    return passed_on(state, above, given, node, read) if above else given


def _above(cls: Class, own: Function) -> Class | None:
    """The class of the script whose `__init__` the `super()` of a class's `__init__` finds."""
    if cls.members.get("__init__") is own:
        bases = (base for base in cls.bases if isinstance(base, Class))
        return next((base for base in bases if base.member("__init__") is not None), None)
    found = (_above(base, own) for base in cls.bases if isinstance(base, Class))
    return next((base for base in found if base), None)


HELD = frozenset(
    ("args", "model", "processing_class", "tokenizer", "train_dataset", "eval_dataset",
     "reward_funcs", "reward_weights", "ref_model", "optimizer", "data_collator")
)  # fmt: skip
"""What trainers keep of their arguments."""


def _replaces(node: ast.AST) -> bool:
    """Whether something sets what the trainer keeps, or a part of it: `self.args.beta = 0`."""
    if not isinstance(node, ast.Attribute) or not isinstance(node.ctx, ast.Store):
        return False
    root: ast.expr = node
    while isinstance(root, ast.Attribute) and not _of_self(root):
        root = root.value
    return isinstance(root, ast.Attribute) and root.attr in HELD


def _parameters(signature: ast.arguments) -> set[str]:
    parameters = [*signature.posonlyargs, *signature.args, *signature.kwonlyargs]
    stars = (star for star in (signature.vararg, signature.kwarg) if star)
    return {argument.arg for argument in (*parameters, *stars)} - {"self"}


def _call(body: list[ast.stmt], parameters: set[str]) -> ast.Call | None:
    """The call of the library's `__init__`, where only harmless statements come before it."""
    for statement in body:
        if isinstance(statement, ast.Expr) and _is_super(statement.value):
            assert isinstance(statement.value, ast.Call)
            return statement.value
        if _touches(statement, parameters):
            return None
    return None


def _is_super(node: ast.expr) -> bool:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    owner = node.func.value
    called = owner.func if isinstance(owner, ast.Call) else None
    return node.func.attr == "__init__" and isinstance(called, ast.Name) and called.id == "super"


def _touches(statement: ast.stmt, parameters: set[str]) -> bool:
    """Whether a statement may change a parameter: all but `self.x = …` of names and constants."""
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        return False
    if isinstance(statement, ast.Assign) and all(map(_of_self, statement.targets)):
        return not isinstance(statement.value, ast.Name | ast.Constant | ast.Attribute)
    names = (part.id for part in ast.walk(statement) if isinstance(part, ast.Name))
    return not isinstance(statement, ast.Assign) or not parameters.isdisjoint(names)


def _of_self(node: ast.expr) -> bool:
    owner = node.value if isinstance(node, ast.Attribute) else None
    return isinstance(owner, ast.Name) and owner.id == "self"
