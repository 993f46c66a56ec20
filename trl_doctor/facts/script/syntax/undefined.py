"""Names of a script that have no value where they are used, as pyflakes finds them."""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Iterator
from functools import cached_property

from msgspec import Struct

from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.script.syntax.code import Code, code

OF_NOTEBOOKS = frozenset(
    {"display", "get_ipython", "In", "Out", "_", "__", "spark", "sc", "dbutils"}
)
"""Names that Jupyter and Databricks give to each cell."""

MAGIC = re.compile(r"^\s*%{1,2}\w+.*$", re.MULTILINE)
"""A line for Jupyter: `%%capture out` gives a value to `out`."""

RUNS_FILES = re.compile(r"^\s*%(run|load)\s", re.MULTILINE)

GIVES_NAMES = ("exec", "globals", "locals", "vars", "setattr")
"""Functions by which a script can give a value to any name."""

APART = 1_000_000
"""Lines between the cells of a notebook, so that one line is of one cell."""

MAY_NOT_RUN = (ast.Try, ast.ExceptHandler, ast.Lambda, ast.IfExp, ast.BoolOp, ast.If, ast.Match,
               ast.While, ast.Assert)  # fmt: skip
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class Undefined(Struct, frozen=True):
    """A name without a value; `sure` says that the script comes to it, `later` that it has a value
    further down."""

    node: ast.Name
    sure: bool
    later: bool


def undefined_names(facts: Facts) -> list[Undefined]:
    """Each name once, at its first use. Raises as `code` does.

    `Unavailable` where they cannot be known: a cell is broken, or code gives values to names.
    """
    parsed = facts[code]
    calls = (node.func for node in parsed.nodes if isinstance(node, ast.Call))
    if any(isinstance(function, ast.Name) and function.id in GIVES_NAMES for function in calls):
        raise Unavailable("the script gives values to names that are not written in it")
    if facts.run.script.unreadable_parts:
        raise Unavailable("a part of the script is not Python")
    if any(RUNS_FILES.search(piece.text) for piece in parsed.file.places.pieces):
        raise Unavailable("the notebook runs other files")
    names = list(reported(parsed))
    if not names:
        return []
    places = {
        (number, node.lineno, node.col_offset): node
        for number, part in enumerate(parsed.parts)
        for node in ast.walk(part)
        if isinstance(node, ast.Name)
    }
    found: dict[str, Undefined] = {}
    tree = facts[tree_of]
    for spot, name, local in names:
        node = places.get(spot)
        if node is not None and node.id == name and not tree.in_annotation(node):
            later = local or tree.bound.get(name, spot) > spot
            found.setdefault(name, Undefined(node, tree.surely_runs(node), later))
    return list(found.values())


def reported(parsed: Code) -> Iterator[tuple[tuple[int, int, int], str, bool]]:
    """Cell, line and column of each name that pyflakes reports, in their order, and the name.

    Last whether it is a variable of a function, which gets its value further down in this.
    """
    from pyflakes import checker, messages

    body = []
    for number, part in enumerate(parsed.parts):
        moved = copy.deepcopy(part) if number else part
        body += (ast.increment_lineno(moved, number * APART) if number else moved).body
    lines = [line for piece in parsed.file.places.pieces for line in MAGIC.findall(piece.text)]
    extra = {*OF_NOTEBOOKS, *re.findall(r"\w+", " ".join(lines))} if parsed.notebook else ()
    found = checker.Checker(ast.Module(body, []), builtins=extra).messages
    for message in sorted(found, key=lambda message: (message.lineno, message.col)):
        if isinstance(message, messages.UndefinedName | messages.UndefinedLocal):
            number, line = divmod(message.lineno, APART)
            local = isinstance(message, messages.UndefinedLocal)
            yield (number, line, message.col), message.message_args[0], local


class Tree:
    """What is above each node of a script, and which of its functions surely run."""

    def __init__(self, parsed: Code) -> None:
        self.above = {
            id(child): node for node in parsed.nodes for child in ast.iter_child_nodes(node)
        }
        self.code = parsed

    @cached_property
    def bound(self) -> dict[str, tuple[int, int, int]]:
        """The names that get a value outside of functions, and where they get the last one."""
        named = [
            (self.code.order(node), name)
            for node in self.code.nodes
            if (name := _bound(node))
            and isinstance(node, ast.expr | ast.stmt)
            and not any(isinstance(parent, FUNCTIONS) for parent in self.parents(node))
        ]
        return {name: order for order, name in sorted(named)}

    @cached_property
    def called(self) -> set[str]:
        """The functions that the script calls by name, whatever happens, begun outside of all."""
        called: set[str] = set()
        while True:
            more = {
                node.func.id
                for node in self.code.nodes
                if isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and self._runs(node, called)
            }
            if more <= called:
                return called
            called |= more

    def surely_runs(self, node: ast.AST) -> bool:
        """Whether the script comes to a node, if nothing ends it before."""
        return self._runs(node, self.called)

    def in_annotation(self, node: ast.AST) -> bool:
        """Whether a node is in the type of an argument, a result or a variable."""
        child = node
        for parent in self.parents(node):
            if child in (getattr(parent, "annotation", None), getattr(parent, "returns", None)):
                return True
            child = parent
        return False

    def parents(self, node: ast.AST) -> Iterator[ast.AST]:
        """What is above a node, the nearest first."""
        while parent := self.above.get(id(node)):
            yield parent
            node = parent

    def _runs(self, node: ast.AST, called: set[str]) -> bool:
        child = node
        for parent in self.parents(node):
            if isinstance(parent, FUNCTIONS):
                # decorators and defaults are evaluated where the function is defined
                if child in parent.body and parent.name not in called:
                    return False
            elif isinstance(parent, MAY_NOT_RUN) and not _first(parent, child):
                return False
            child = parent
        return True


def tree_of(facts: Facts) -> Tree:
    """The script's tree. Raises as `code` does."""
    return Tree(facts[code])


def _bound(node: ast.AST) -> str:
    """The name to which a node gives a value; "" for none."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        return node.id
    return node.name if isinstance(node, (*FUNCTIONS, ast.ClassDef)) else ""


def _first(parent: ast.AST, child: ast.AST) -> bool:
    """Whether a part of a statement that may not run whole is evaluated all the same."""
    if isinstance(parent, ast.If | ast.IfExp | ast.While):
        main = isinstance(parent, ast.If) and "__name__" in ast.unparse(parent.test)
        return child is parent.test or (main and child in getattr(parent, "body", ()))
    if isinstance(parent, ast.Assert):
        return child is parent.test
    return isinstance(parent, ast.BoolOp) and child is parent.values[0]
