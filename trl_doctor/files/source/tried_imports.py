"""Imports that a script tries: whether the installed TRL has what they name."""

from __future__ import annotations

import ast

from trl_doctor.files.source.names import last_name
from trl_doctor.files.source.state import Question, State
from trl_doctor.files.source.values import Plain

CATCHES = frozenset({"ImportError", "Exception", "BaseException"})
"""What catches a name that a module does not have."""


def handler(node: ast.Try | ast.TryStar) -> ast.ExceptHandler | None:
    """What runs where an import of the body fails; None if nothing does for certain."""
    for one in node.handlers:
        types = one.type.elts if isinstance(one.type, ast.Tuple) else [one.type]
        if any(type_ is None or last_name(type_) in CATCHES for type_ in types):
            return one
    return None


def failing(state: State, node: ast.Try | ast.TryStar) -> int | None:
    """The number of the statement whose import fails, of a body that imports from TRL.

    It is that of all statements if none fails; None if this is not known, or they do more.
    """
    unsure = False
    for number, statement in enumerate(node.body):
        constant = isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Constant)
        if not constant and not isinstance(statement, ast.ImportFrom):
            return None
        if isinstance(statement, ast.ImportFrom):
            answers = _answers(state, statement)
            if False in answers and not unsure:
                return number
            unsure = unsure or None in answers
    return None if unsure else len(node.body)


def _answers(state: State, node: ast.ImportFrom) -> set[bool | None]:
    module = node.module or ""
    if node.level or module.partition(".")[0] != "trl":
        return {None}
    values = (state.default(Question(module, name.name, imported=True)) for name in node.names)
    return {value.value is True if isinstance(value, Plain) else None for value in values}
