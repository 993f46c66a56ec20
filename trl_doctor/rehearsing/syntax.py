"""The syntax of a script, as far as this Python can parse it."""

from __future__ import annotations

import ast


def parsed(source: str) -> ast.Module:
    """The syntax tree of a script; an empty one if this Python cannot parse it."""
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return ast.Module([], [])
