"""What the words and expressions of a user's code say of rows that would be wrong otherwise."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

LOW_IS_GOOD = re.compile(
    r"\b(?:low|small|less)(?:er)?(?:[ _](?:scores?|values?|numbers?))?"
    r"(?:[ _](?:is|are|means)[ _]|\s*=+\s*)(?:better|best|good)|lowest[ _]is[ _]best"
    r"|\bthe (?:lower|smaller|less)\b[^\n]{0,20}\bbetter"
    r"|scores?[ _](?:is|are|means)[ _](?:the |an? )?(?:\w+ )?(?:distances?|loss(?:es)?|errors?"
    r"|perplexit(?:y|ies)|penalt(?:y|ies)|nll|costs?|divergences?)\b",
    re.IGNORECASE,
)
"""A score whose low values are the good ones."""


def column_is_read(nodes: Iterable[ast.AST], column: str, besides: str = "") -> bool:
    """Whether code names a column elsewhere than where it makes it.

    What is given for the argument `besides` does not count.
    """
    parts = list(nodes)
    made = [key for node in parts if isinstance(node, ast.Dict) for key in node.keys]
    stored = (node for node in parts if isinstance(node, ast.Subscript))
    made += [node.slice for node in stored if isinstance(node.ctx, ast.Store)]
    made += [node.args[0] for node in parts if isinstance(node, ast.Call) and node.args
             and isinstance(node.func, ast.Attribute)
             and node.func.attr == "add_column"]  # fmt: skip
    made += [node.value for node in parts if isinstance(node, ast.keyword) and node.arg == besides]
    named = (node for node in parts if isinstance(node, ast.Constant) and node.value == column)
    return any(all(node is not one for one in made) for node in named)
