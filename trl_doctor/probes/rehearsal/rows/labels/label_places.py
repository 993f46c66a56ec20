"""Labels of a script's own that stand in the question, or that its mask leaves as they are."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

from ....named_objects import parsed
from ...where import own_files
from ..begun import Turns, turns_of
from ..sources import Row
from .own_labels import labelled, learned

FEWEST, SHARE = 3, 0.1
"""Rows whose labels are in the question, and their share, at least."""

WHOLE = 4
"""Rows that are learned from their beginning to their end, at least."""

PADDING = re.compile(r"pad", re.IGNORECASE)
"""What is in a function that only masks what fills rows up."""

ASKS = re.compile(r"user|human|prompt|instruct|question|source|response|assistant|answer", re.I)
"""What is in one that masks questions; others mask tools or images, which rows may not have."""

IGNORES = re.compile(r"-100\b|\bIGNORE")
"""What labels are set to that are not learned."""


def labels_in_question(rows: Any, tokenizer: Any) -> list[str] | None:
    """How many rows, of how many, have the labels of their answer in the question; one answer."""
    first, turns = labelled(rows), turns_of(tokenizer)
    if turns is None:
        return None
    found = [text for row in first if (text := _asked(row, tokenizer, turns))]
    if len(found) < max(FEWEST, SHARE * len(first)):
        return None
    return [str(len(found)), str(len(first)), found[0]]


def _asked(row: Row, tokenizer: Any, turns: Turns) -> str:
    """The last answer of a row, if none of its tokens is learned, and its words before it are.

    The first word may be left out: a token has the space before it. Who learns what the user says
    learns it from its beginning.
    """
    ids, kept = row["input_ids"], learned(row)
    pieces = [tokenizer.decode(ids[:at], skip_special_tokens=False) for at in range(len(ids) + 1)]
    before, mark, rest = pieces[-1].rpartition(turns.answers)
    answer = str(rest.partition(turns.ends)[0]).strip()
    start = next((at for at, text in enumerate(pieces) if len(text) >= len(before + mark)), 0)
    there = before.find(answer)
    if not mark or not answer or there < 0 or any(kept[start:]):
        return ""
    begins = [at for at in range(start) if kept[at] and not (at and kept[at - 1])]
    near = range(there, there + len(answer) + 2)
    here = [pieces[at] for at in begins if len(pieces[at]) in near]
    return answer if here and not here[0].rstrip().endswith(turns.asks) else ""


def masks_in_vain(rows: Any) -> list[str] | None:
    """The function of the script that masks labels, and how many rows have none that is masked."""
    first = labelled(rows)
    whole = [row for row in first if [*row["labels"]] == [*row["input_ids"]]]
    if len(whole) < WHOLE or len(whole) < len(first):
        return None
    name = next((name for file in own_files() if (name := _masks_always(parsed(file)))), "")
    return [name, str(len(whole))] if name else None


def _masks_always(tree: ast.AST | None) -> str:
    """A function that masks tokens by what they are, and that is called whatever is set; or ""."""
    if tree is None:
        return ""
    called = {*_called(tree, False)}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name in called and _masks(node):
            return node.name
    return ""


def _called(node: ast.AST, chosen: bool) -> Iterator[str]:
    """The functions that are called where no `if` decides about it."""
    chosen = chosen or isinstance(node, (ast.If, ast.IfExp))
    if isinstance(node, ast.Call) and not chosen:
        yield getattr(node.func, "id", getattr(node.func, "attr", ""))
    for part in ast.iter_child_nodes(node):
        yield from _called(part, chosen)


def _masks(function: ast.FunctionDef) -> bool:
    """Whether it sets parts of a row to -100, by the tokens that it finds in a loop."""
    code = ast.unparse(function)
    if PADDING.search(code) or not ASKS.search(code):
        return False
    parts = [*ast.walk(function)]
    loops = [part for part in parts if isinstance(part, (ast.For, ast.While))]
    found = {name for loop in loops if isinstance(loop, ast.For) for name in _names(loop.target)}
    tests = [part.test for part in parts if isinstance(part, (ast.If, ast.IfExp))]
    by_token = all(isinstance(test, ast.Compare) and found & _names(test) for test in tests)
    whiles = [inner for loop in loops if isinstance(loop, ast.While) for inner in ast.walk(loop)]
    return bool(found) and by_token and (any(map(_ignores, whiles)) or any(map(_slices, parts)))


def _ignores(node: ast.AST) -> bool:
    """Whether it sets -100 in a list."""
    if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Subscript):
        return False
    return bool(IGNORES.search(ast.unparse(node.value)))


def _slices(node: ast.AST) -> bool:
    """Whether it sets a part of a list to -100."""
    return _ignores(node) and any(isinstance(part, ast.Slice) for part in ast.walk(node))


def _names(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
