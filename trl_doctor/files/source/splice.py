"""Changes in the text of a Python call: keywords added and taken away, the rest as it was."""

from __future__ import annotations

import ast
import re

from trl_doctor.core.finding import Json
from trl_doctor.files.formats.text import CannotEdit


def literal(value: Json) -> str:
    """A value as Python writes it, with double quotation marks."""
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, list):
        return "[" + ", ".join(map(literal, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_quoted(k)}: {literal(v)}" for k, v in value.items()) + "}"
    return repr(value)


def _quoted(text: str) -> str:
    plain = repr(text)
    return f'"{plain[1:-1]}"' if plain[0] == "'" and '"' not in text else plain


def with_keyword(call: str, name: str, value: str) -> str:
    """The text of a call with one more keyword, laid out like those that are there."""
    tree = _call(call)
    last = max((_end(call, argument) for argument in _arguments(tree)), default=call.rindex("("))
    tail = call[last:]
    if not (tree.args or tree.keywords):
        opening = call.rindex("(") + 1
        return f"{call[:opening]}{name}={value}{call[opening:]}"
    starts = [_start(call, argument) for argument in _arguments(tree)]
    line = call.rfind("\n", 0, max(starts)) + 1
    indent = call[line : max(starts)]
    if line and not indent.strip():
        comma = re.match(r"[ \t]*,", tail)
        here = last + (comma.end() if comma else 0)
        newline = "\r\n" if call[max(0, line - 2) : line] == "\r\n" else "\n"
        before = call[:here] if comma else call[:last] + ","
        rest = call[here:]
        comment = re.match(r"[ \t]*#[^\n]*", rest)
        comment_text = comment.group() if comment else ""
        after = rest[len(comment_text) :]
        return f"{before}{comment_text}{newline}{indent}{name}={value},{after}"
    return f"{call[:last]}, {name}={value}{tail}"


def without(call: str, cut: tuple[int, int]) -> str:
    """The text of a call without the keyword between two characters, and its comma and line."""
    start, end = cut
    comma = re.compile(r"\s*,").match(call, end)
    if comma:
        end = comma.end()
        line = call.rfind("\n", 0, start) + 1
        rest = re.compile(r"[ \t]*(#[^\n]*)?\r?\n").match(call, end)
        if line and not call[line:start].strip() and rest:
            return call[:line] + call[rest.end() :]
        blanks = re.compile(r"[ \t]*").match(call, end)
        return call[:start] + call[blanks.end() if blanks else end :]
    before = re.search(r",\s*$", call[:start])
    return (call[: before.start()] if before else call[:start]) + call[end:]


def _call(text: str) -> ast.Call:
    try:
        tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):
        raise CannotEdit("the call cannot be read by itself") from None
    if not isinstance(tree, ast.Call):
        raise CannotEdit("it is no call")
    return tree


def _arguments(tree: ast.Call) -> list[ast.expr | ast.keyword]:
    return [*tree.args, *tree.keywords]


def _start(text: str, node: ast.expr | ast.keyword) -> int:
    return _index(text, node.lineno, node.col_offset)


def _end(text: str, node: ast.expr | ast.keyword) -> int:
    return _index(text, node.end_lineno or 1, node.end_col_offset or 0)


def _index(text: str, line: int, column: int) -> int:
    lines = text.split("\n")
    before = sum(len(earlier) + 1 for earlier in lines[: line - 1])
    return before + len(lines[line - 1].encode()[:column].decode(errors="replace"))
