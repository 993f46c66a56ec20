"""The trainings that a notebook starts: its shell lines, its cells for a shell, `subprocess`."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import chain
from operator import itemgetter
from pathlib import Path, PurePosixPath

from msgspec import Struct
from msgspec.structs import replace

from trl_doctor.files import document
from trl_doctor.files.formats.text import Invalid
from trl_doctor.files.launch.cluster import Cluster
from trl_doctor.files.launch.containers import go_to
from trl_doctor.files.launch.in_python import in_python
from trl_doctor.files.launch.launch import Launch
from trl_doctor.files.launch.launches import launches
from trl_doctor.files.launch.shell.inside import Document, keep
from trl_doctor.files.launch.shell.variables import MARK, Shell, Word
from trl_doctor.files.source.notebooks.cells import cells_of
from trl_doctor.files.source.notebooks.started import (
    MAKES_TRAINER,
    Command,
    Written,
    commands_of,
    written,
)
from trl_doctor.files.source.reading import Reading, read_source
from trl_doctor.files.source.state import TooMuch
from trl_doctor.files.source.text import Piece, plain_python
from trl_doctor.files.source.values import Plain

BRACES = re.compile(r"(?<![{$])\{([^{}\n]+)\}(?!\})")
DOLLAR = re.compile(r"\$(\$?)([A-Za-z_][\w.]*)")
"""What IPython replaces in a shell line by the value of a name or an expression of Python."""

GOES = re.compile(r"[ \t]*(?:%?cd[ \t]+|os\.chdir\([ \t]*(?=[\"']))[\"']?([^\"'\s)]+)")
"""What changes the folder of a notebook: a magic, or a call with a text."""

SETS = re.compile(
    r"^[ \t]*%(?:env|set_env)[ \t]+([A-Za-z_]\w*)[ \t]*[= \t][ \t]*(.*?)[ \t]*$", re.M
)
"""A variable of the environment that a magic sets for all that follows."""


def in_notebook(path: Path, data: bytes, variables: Mapping[str, str]) -> list[Launch]:
    """The lines that start a training, in their order; raises `document.Unreadable`.

    `variables` are those of the notebook's environment.
    """
    try:
        cells = cells_of(path, data)
    except Invalid as error:
        raise document.Unreadable(path, error.flaw, error.problem, error.at) from None
    names = _names(path, data)
    given = {**variables, **names.environment()}
    shell = Shell({name: [Word(text, 0, 0)] for name, text in given.items()}, launcher=path)
    found = list[Launch]()
    for cell, start in zip(cells.pieces, cells.starts, strict=True):
        if file := written(cell):
            _keep(shell, file, start + 1, cell)
        for name, text in SETS.findall(cell.text):
            value = names.replaced(text)
            shell.variables[name] = None if MARK in value else [Word(value, 0, 0)]
        for _, step in sorted(_steps(cell, names), key=itemgetter(0)):
            if isinstance(step, Command):
                found += _started(step, shell, start, names)
            else:
                go_to(shell, step)
    program = "\n".join(plain_python(text) for text in cells.texts)
    found += (replace(launch, files=dict(shell.files)) for launch in in_python(program))
    found += () if found else _only_written(shell, program)
    found.sort(key=lambda launch: launch.line)
    return [replace(launch, cell=cells.shown(launch.line)) for launch in found]


def _only_written(shell: Shell, program: str) -> Iterator[Launch]:
    """The scripts with a trainer that cells write, for something that starts them elsewhere.

    `program` is the notebook's own Python: what it imports is no script.
    """
    texts = [program, *(file.text for file in shell.files.values())]
    for name, file in list(shell.files.items()):
        path = PurePosixPath(name)
        imports = re.compile(rf"^\s*(?:from|import)\s+{re.escape(path.stem)}\b", re.M)
        trains = path.suffix == ".py" and file.cells and MAKES_TRAINER.search(file.text)
        if trains and not any(map(imports.search, texts)):
            yield from launches(f"python {name}", shell.inner(), Cluster(), file.line)


def _steps(cell: Piece, names: _Names) -> Iterator[tuple[int, Command | str]]:
    """The texts for a shell in a cell, and the folders that it goes to, each with its line.

    `!cd` is for the shell of its own line.
    """
    commands = list(commands_of(cell))
    yield from ((command.line, command) for command in commands)
    if written(cell) or any(command.cell for command in commands):
        return
    for number, line in enumerate(cell.text.split("\n"), 1):
        if match := GOES.match(line):
            name = names.replaced(match[1])
            yield number, "" if MARK in name else name


def _started(command: Command, shell: Shell, start: int, names: _Names) -> Iterator[Launch]:
    """What a text for a shell starts; `start` is the line of its cell."""
    text = command.text if command.cell else names.replaced(command.text)
    text = " " * (command.column - 1) + text
    return launches(text, shell.inner(), Cluster(), start + command.line - 1)


def _keep(shell: Shell, file: Written, line: int, cell: Piece) -> None:
    """Remember the file that a cell writes."""
    before = shell.files.get(file.name) if file.append else None
    keep(shell, file.name, Document(file.text, line, literal=True), added=file.append)
    index = -1 if cell.cell is None else cell.cell
    cells = (*(before.cells if before else ()), index)
    shell.files[file.name] = replace(shell.files[file.name], cells=cells)


class _Names(Struct, frozen=True):
    """What a notebook has read as Python; None if it cannot be read. `several` are names that it
    sets more than once: which value a line gets is not known.
    """

    reading: Reading | None
    several: frozenset[str] = frozenset()

    def environment(self) -> dict[str, str]:
        """The variables that the notebook's Python sets for what it starts."""
        values = self.reading.state.set_variables if self.reading else {}
        return {
            name: str(named.value.value)
            for name, named in values.items()
            if isinstance(named.value, Plain)
        }

    def replaced(self, text: str) -> str:
        """A shell line with the values of Python's names, `MARK` for what is not known."""
        return DOLLAR.sub(self._of_dollar, BRACES.sub(self._of_braces, text))

    def _of_braces(self, match: re.Match[str]) -> str:
        value = self._value(match[1])
        return match[0] if value is None else value

    def _of_dollar(self, match: re.Match[str]) -> str:
        name = match[2].rstrip(".")
        if match[1]:
            return f"${match[2]}"
        if self.reading is None or self.reading.scope.find(name.partition(".")[0]) is None:
            return match[0]  # a variable of the shell
        value = self._value(name)
        return match[0] if value is None else value + match[2][len(name) :]

    def _value(self, expression: str) -> str | None:
        """The value of an expression as a text; None if it is no Python, which is left as it is."""
        try:
            node = ast.parse(expression.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
        names = {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}
        if self.reading is None or names & self.several:
            return MARK
        state, scope = self.reading.state, self.reading.scope
        if names and all(scope.find(name) is None for name in names):
            return None  # no name of Python: a brace of the shell
        try:
            value = state.evaluate(node, scope)
        except (TooMuch, RecursionError):
            return MARK
        known = isinstance(value, Plain) and isinstance(value.value, str | int | float)
        return str(value.value) if known and isinstance(value, Plain) else MARK


def _names(path: Path, data: bytes) -> _Names:
    """The names of a notebook's own Python."""
    try:
        reading = read_source(path, data)
    except Invalid:
        return _Names(None)
    nodes = chain.from_iterable(ast.walk(tree) for tree in reading.trees)
    stored = Counter(
        node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    )
    return _Names(reading, frozenset(name for name, times in stored.items() if times > 1))
