"""The syntax of the run's own code: of a script, or of a notebook's cells in their order."""

from __future__ import annotations

import ast
from functools import cached_property

from msgspec import Struct

from trl_doctor.core.finding import Place
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.script.passed import passed
from trl_doctor.files.formats.text import Invalid
from trl_doctor.files.source.document import Script
from trl_doctor.files.source.names import last_name
from trl_doctor.files.source.text import Piece
from trl_doctor.files.source.values import Span

DEEPEST = 150
"""Levels of syntax: `ast.unparse`, which rules use, calls itself several times for each."""


class Code(Struct, frozen=True, dict=True):
    """`parts` are the script's tree, or a tree for each cell; an empty one for a broken cell."""

    parts: tuple[ast.Module, ...]
    file: Script

    @property
    def notebook(self) -> bool:
        """Whether the parts are cells of a notebook."""
        return self.file.path.suffix == ".ipynb"

    @cached_property
    def whole(self) -> ast.Module:
        """All statements in one tree. The lines of different cells cannot be compared."""
        return ast.Module([statement for part in self.parts for statement in part.body], [])

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """All nodes of `whole`, as `ast.walk` gives them, walked once for all who look at them."""
        return tuple(ast.walk(self.whole))

    def place(self, node: ast.expr | ast.stmt) -> Place:
        """Where a node begins in the file."""
        end = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
        span = Span(self._numbers[id(node)], node.lineno, node.col_offset, *end)
        return self.file.places.place("", span)

    def order(self, node: ast.expr | ast.stmt) -> tuple[int, int, int]:
        """By this, nodes can be sorted as they are written: the cell, the line, the column."""
        return self._numbers[id(node)], node.lineno, node.col_offset

    @cached_property
    def _numbers(self) -> dict[int, int]:
        """The number of the part that each node is in."""
        return {
            id(node): number for number, part in enumerate(self.parts) for node in ast.walk(part)
        }


def code(facts: Facts) -> Code:
    """The run's own code; raises as `passed` does, and `Unavailable` where it is not here."""
    passed(facts)
    file = facts.run.file
    if not isinstance(file, Script):
        raise Unavailable("the source of the script is not here")
    return Code(tuple(map(_tree, file.places.pieces)), file)


def reads_itself(facts: Facts, key: str, class_: str = "") -> bool:
    """Whether the script reads an argument, or makes an object of a class that does the same."""
    parsed = facts.get(code)
    return parsed is not None and any(
        (isinstance(node, ast.Attribute) and node.attr == key and isinstance(node.ctx, ast.Load))
        or (isinstance(node, ast.Call) and bool(class_) and last_name(node.func) == class_)
        for node in parsed.nodes
    )


def _tree(piece: Piece) -> ast.Module:
    try:
        tree = piece.parsed()
    except Invalid:
        return ast.Module([], [])
    if _deeper(tree, DEEPEST):
        raise Unavailable(f"an expression of the script is nested more than {DEEPEST} deep")
    return tree


def _deeper(tree: ast.Module, levels: int) -> bool:
    """Whether its nodes are nested deeper; without recursion, which Python itself limits."""
    nodes: list[ast.AST] = [tree]
    for _ in range(levels):
        nodes = [child for node in nodes for child in ast.iter_child_nodes(node)]
        if not nodes:
            return False
    return True
