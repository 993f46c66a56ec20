"""Columns that a script fills with tokens, because its template call does not return a text."""

from __future__ import annotations

import ast

from msgspec import Struct

from trl_doctor.core.finding import Spot
from trl_doctor.facts.functions.function_body import body_nodes, returned_values
from trl_doctor.facts.script.columns import SAME
from trl_doctor.facts.script.passed import is_tokenizer
from trl_doctor.files.source.objects import Function
from trl_doctor.files.source.values import LibraryObject, Value

TOKENIZE = 6
"""The position of `tokenize` among the arguments of `apply_chat_template`."""


class TokensCall(Struct, frozen=True):
    """A call that fills a column with tokens; `source` is the index of its file or cell."""

    spot: Spot
    source: int


def made_of_tokens(value: Value | None, column: str) -> TokensCall | None:
    """The call that fills a column with tokens; None if that is not sure."""
    while isinstance(value, LibraryObject) and value.base is not None:
        if value.short == "map":
            return _by(value.argument("function", 0), column)
        if value.short not in SAME and not value.of.endswith("]"):
            return None
        value = value.base
    return None


def _by(function: Value | None, column: str) -> TokensCall | None:
    if not isinstance(function, Function):
        return None
    node = function.node
    returned = returned_values(node)
    table = returned[0] if len(returned) == 1 else None
    if not isinstance(table, ast.Dict):
        return None
    for key, value in zip(table.keys, table.values, strict=True):
        if isinstance(key, ast.Constant) and key.value == column:
            call = _assigned(node, value.id) if isinstance(value, ast.Name) else value
            if isinstance(call, ast.Call) and _gives_tokens(call, function):
                spot = Spot(call.lineno, call.col_offset + 1, ast.unparse(call))
                return TokensCall(spot, function.source)
    return None


def _assigned(function: ast.AST, name: str) -> ast.expr | None:
    """The only value that a function gives to a name."""
    bound = [node for node in body_nodes(function) if isinstance(node, ast.Name)
             and node.id == name and not isinstance(node.ctx, ast.Load)]  # fmt: skip
    values = [node.value for node in body_nodes(function) if isinstance(node, ast.Assign)
              and [getattr(target, "id", "") for target in node.targets] == [name]]  # fmt: skip
    return values[0] if len(bound) == len(values) == 1 else None


def _gives_tokens(call: ast.Call, function: Function) -> bool:
    if not isinstance(call.func, ast.Attribute):
        return False
    keywords = {keyword.arg for keyword in call.keywords}
    if None in keywords or "tokenize" in keywords or len(call.args) > TOKENIZE:
        return False
    owner = call.func.value
    own = {node.arg for node in ast.walk(function.node.args) if isinstance(node, ast.arg)}
    if call.func.attr != "apply_chat_template" or not isinstance(owner, ast.Name):
        return False
    return owner.id not in own and is_tokenizer(function.scope.find(owner.id))
