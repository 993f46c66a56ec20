"""The state of a reading: the pieces of source, the conditions, and what was made so far."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

from msgspec import Struct, field

from trl_doctor.files.source.objects import Arguments, Instance, Refusal, Scope
from trl_doctor.files.source.text import Piece
from trl_doctor.files.source.values import (
    Guard,
    Keywords,
    LibraryObject,
    NamedValue,
    Span,
    Unknown,
    Value,
)

MOST_STEPS = 400_000
"""Nodes that are examined; a script that needs more makes them in a loop of calls."""

LIBRARIES = frozenset({"trl", "transformers", "peft", "accelerate", "datasets"})
"""Libraries whose names are noted also where a script reaches them by attributes."""

DEEPEST = 40
"""Calls inside calls that are followed."""


FRAMES = 5000
"""Python frames that reading may take."""

SWEEP = "WANDB_SWEEP_ID"
"""The variable by which a run knows that it belongs to a sweep of Weights & Biases."""


@contextmanager
def many_frames() -> Iterator[None]:
    """Reading may take more Python frames: each nested expression takes a few."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, FRAMES))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


class TooMuch(Exception):
    """The script is too large to be read to its end."""


class Question(Struct, frozen=True):
    """What the reader wants to know of a library: the default of a field of a config class.

    Without a field: the names of all that a class takes, when it is called. `imported` asks whether
    `from cls import field` works, where `cls` is a module.
    """

    cls: str
    field: str = ""
    imported: bool = False


Evaluate: TypeAlias = "Callable[[State, ast.expr | None, Scope], Value]"
RunBlock: TypeAlias = "Callable[[State, Sequence[ast.stmt], Scope], bool]"
FromLibrary: TypeAlias = "Callable[[LibraryObject, str, Arguments | None], Value | None]"
"""What an object of a library gives: by a method, or as an attribute if there are no arguments."""


class State(Struct):
    """What the reading of one script knows.

    `argv` is the command line of the script, None if it is not given. `environment` are
    variables that are set when it starts. `default` gives what a library's class takes for a
    field, None if that is not known. `read_variables` are those that the script surely reads
    and that have no default. `refused` is what a parser of the script refuses in its command line.
    `lacking` are the names that the script imports from a module of its own which has none.
    `patched` are the names of libraries that the script itself sets. `settings` are the objects
    that hold settings: the results of parsers, and those of the script's classes of fields.
    `written` are the cells of a notebook that write a file beside it, `texts` are the files that a
    launch file contains, by their names. `starts` are the folders that the script may start in.
    With `past` the reading goes on where the script would end before its training.
    `more` is the reason why the command line may have further options,
    "" if it has none. `raised` is the error that it surely raises, and where. `evaluated` and
    `run` read an expression and a block. `library` is asked first what an object of a library
    gives; None leaves that to the reading. `exact` says that the code that is read has nothing but
    what is evaluated as Python does: each loop is read turn by turn.
    """

    folder: Path
    argv: tuple[str, ...] | None
    environment: dict[str, str]
    default: Callable[[Question], Value | None]
    evaluated: Evaluate
    run: RunBlock
    pieces: list[Piece] = field(default_factory=list)
    written: dict[Path, list[Piece]] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    starts: tuple[Path, ...] = ()
    made: list[LibraryObject] = field(default_factory=list)
    imports: list[tuple[str, Span, tuple[Guard, ...]]] = field(default_factory=list)
    refused: list[tuple[Refusal, Span]] = field(default_factory=list)
    lacking: list[tuple[str, Path, Span]] = field(default_factory=list)
    patched: set[str] = field(default_factory=set)
    settings: list[Instance] = field(default_factory=list)
    modules: dict[Path, Scope] = field(default_factory=dict)
    guards: list[Guard] = field(default_factory=list)
    stack: list[ast.AST] = field(default_factory=list)
    called: set[ast.AST] = field(default_factory=set)
    set_variables: dict[str, NamedValue] = field(default_factory=dict)
    read_variables: dict[str, Span] = field(default_factory=dict)
    main: bool = True
    parses: bool = False
    more: str = ""
    raised: tuple[str, Span] | None = None
    past: bool = False
    trying: int = 0
    roots: set[str] = field(default_factory=set)
    source: int = 0
    steps: int = 0
    most: int = MOST_STEPS
    library: FromLibrary | None = None
    exact: bool = False

    def evaluate(self, node: ast.expr | None, scope: Scope) -> Value:
        """The value of an expression; what cannot be known is `Unknown`."""
        return self.evaluated(self, node, scope)

    def block(self, body: Sequence[ast.stmt], scope: Scope) -> bool:
        """Run statements in order; whether they end the block around them."""
        return self.run(self, body, scope)

    def homes(self) -> tuple[Path, ...]:
        """The folders in which a file that the script names is looked for."""
        return (*(self.starts or (Path.cwd(),)), self.folder)

    def imports_root(self, package: str) -> bool:
        """Whether the script imports a package, or something of it."""
        return package in self.roots

    def step(self) -> None:
        """Count one node; raises `TooMuch`."""
        self.steps += 1
        if self.steps > self.most:
            raise TooMuch

    def uses(self, name: str, node: ast.AST) -> None:
        """Note a name of a library that the script needs, unless it catches what goes wrong."""
        if not self.trying and name.partition(".")[0] in LIBRARIES:
            self.imports.append((name, self.span(node), tuple(self.guards)))

    def has_room(self, times: int, node: ast.AST) -> bool:
        """Whether a node can be evaluated so often, and the rest of the script after that."""
        cost = times * sum(1 for _ in ast.walk(node))
        return self.steps < MOST_STEPS // 4 and cost < MOST_STEPS // 8

    def span(self, node: ast.AST) -> Span:
        """The place of a node."""
        return Span(
            self.source,
            getattr(node, "lineno", 1),
            getattr(node, "col_offset", 0),
            getattr(node, "end_lineno", 1) or 1,
            getattr(node, "end_col_offset", 0) or 0,
        )

    def shown(self, node: ast.AST) -> str:
        """The text of a node in one line."""
        return self.pieces[self.source].shown(self.span(node))

    def unknown(self, node: ast.AST, why: str = "") -> Unknown:
        """An unknown value with its text: "`f(x)` (line 3)"."""
        return Unknown(why or f"it is `{self.shown(node)}`", self.span(node))

    def place(self, span: Span) -> str:
        """A span in words: "line 12", "cell 3, line 2", "config.py:4"."""
        piece = self.pieces[span.source]
        if piece.cell is not None:
            return f"cell {piece.number}, line {span.line}"
        if piece.path != self.pieces[0].path:
            return f"{piece.path.name}:{span.line}"
        return f"line {span.line}"

    def new(
        self,
        of: str,
        node: ast.AST,
        arguments: list[Value],
        keywords: Keywords,
        rest: Unknown | None = None,
        base: LibraryObject | None = None,
    ) -> LibraryObject:
        """A new object of something outside, made at a node."""
        made = LibraryObject(
            of, arguments, dict(keywords), self.span(node), rest, base, guards=tuple(self.guards)
        )
        made.tried = bool(self.trying)
        self.made.append(made)
        return made
