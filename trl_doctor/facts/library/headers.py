"""The heads of functions and classes in the text of a module, without parsing the whole of it."""

from __future__ import annotations

import ast
import re
import textwrap
import warnings
from collections.abc import Iterator
from itertools import pairwise

from msgspec import Struct

IMPORT = re.compile(r"from\s+(\.*[\w.]*)\s+import\s+(\(?)([^()]*)")
LONGEST = 200
"""Lines that a head may have."""
BORDER = re.compile(r"^(?:    (?:@|def |async def )|(?=[^\s#)\]}]))", re.MULTILINE)
"""Where a method may begin, or something that is no part of a class."""


class Head(Struct, frozen=True):
    """A function's or a class's own first lines: its decorators, and its parsed statement.

    `body` is the text of a class below its head; empty for a function.
    """

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    decorators: tuple[ast.expr, ...]
    body: str = ""


def head(text: str, name: str, indent: str = "") -> Head | None:
    """The only definition of a name at this depth; None if there is none, or several."""
    start = re.compile(rf"^{indent}(?:async def|def|class) {re.escape(name)}\b", re.MULTILINE)
    starts = [match.start() for match in start.finditer(text)]
    if len(starts) != 1:
        return None
    node, length = _statement(text[starts[0] :])
    decorators = _decorators(text[: starts[0]], indent)
    if node is None or decorators is None:
        return None
    body = ""
    if isinstance(node, ast.ClassDef):
        after = text[starts[0] + length :]
        end = re.search(rf"^{indent}(?=[^\s#)\]}}\"'])", after, re.MULTILINE)
        body = after[: end.start()] if end else after
    return Head(node, decorators, body)


def methods_with(text: str, words: re.Pattern[str]) -> Iterator[ast.stmt]:
    """The methods of a module's classes that have these words, each inside a class of its own.

    Parsing these is twenty times faster than parsing all of a trainer's module.
    """
    borders = [*(match.start() for match in BORDER.finditer(text)), len(text)]
    for start, end in pairwise(borders):
        if words.search(text, start, end):
            yield from _parsed(f"class C:\n{text[start:end]}") or ()


Defined = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def _statement(text: str) -> tuple[Defined | None, int]:
    """The statement at the beginning of a text with an empty body, and where its head ends."""
    end = 0
    for _ in range(LONGEST):
        line_end = text.find("\n", end)
        line = text[end : line_end if line_end >= 0 else len(text)]
        end = line_end + 1 if line_end >= 0 else len(text)
        if re.search(r":\s*(?:#.*)?$", line):
            tree = _parsed(textwrap.dedent(text[:end]).rstrip() + "\n  pass\n")
            if tree is not None and isinstance(tree[0], Defined):
                return tree[0], end
        elif ": ..." in line:
            return None, end
        if end >= len(text):
            break
    return None, end


def _decorators(before: str, indent: str) -> tuple[ast.expr, ...] | None:
    """The decorators that end a text; None where they cannot be read."""
    lines = before.split("\n")[:-1]
    block: list[str] = []
    while lines and (
        lines[-1].startswith((f"{indent}@", f"{indent} ", f"{indent})")) or lines[-1][:1] == "#"
    ):
        block.insert(0, lines.pop())
        if block[0].startswith(f"{indent}@") and not (lines and _is_part(lines[-1], indent)):
            break
    if not any(line.startswith(f"{indent}@") for line in block):
        return ()
    while not block[0].startswith(f"{indent}@"):
        block.pop(0)
    tree = _parsed(textwrap.dedent("\n".join(block)) + "\ndef f(): pass\n")
    return tuple(tree[0].decorator_list) if tree and isinstance(tree[0], Defined) else None


def _is_part(line: str, indent: str) -> bool:
    """Whether a line above a decorator belongs to another one."""
    return line.startswith((f"{indent}@", f"{indent})"))


def _parsed(text: str) -> list[ast.stmt] | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def imported_from(text: str, name: str) -> list[tuple[str, str]]:
    """The modules that a text imports a name from, as they are written, with its name there."""
    sources, at = [], text.find(name)
    while at >= 0:
        start = max(0, text.rfind("from ", 0, at))
        line = IMPORT.match(text, start)
        if line:
            names = line[3] if line[2] else line[3].split("\n")[0]
            names = re.sub(r"#.*", "", names)
            for part in names.split(","):
                words = part.split()
                if words and words[-1] == name and (line[1], words[0]) not in sources:
                    sources.append((line[1], words[0]))
        at = text.find(name, at + len(name))
    return sources
