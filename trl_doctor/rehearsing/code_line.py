"""A line of the user's own code."""

from __future__ import annotations

import ast
from functools import lru_cache
from pathlib import Path

from msgspec import Struct

from trl_doctor.core.finding import Spot
from trl_doctor.core.plain import shown
from trl_doctor.rehearsing.command.notebook import Notebook
from trl_doctor.rehearsing.syntax import parsed


class CodeLine(Struct, frozen=True):
    """A line, from 1, of a file of the user's; of a `notebook`, a line of its script."""

    file: Path
    line: int
    notebook: Notebook | None = None

    @property
    def shown(self) -> str:
        """`train.py:12`, or `train.ipynb, cell 3, line 5`."""
        return self.notebook.shown(self.line) if self.notebook else f"{self.file.name}:{self.line}"

    @property
    def long(self) -> str:
        """The same, with the path of a script from the working folder."""
        return self.shown if self.notebook else f"{shown(self.file)}:{self.line}"

    @property
    def text(self) -> str:
        """The line itself; "" if the file cannot be read."""
        lines = self.script.splitlines()
        return lines[self.line - 1] if 0 < self.line <= len(lines) else ""

    def spot(self, column: int | None = None) -> Spot:
        """The place of a column, from 0 in bytes; of the first character if it is not given."""
        if column is None:
            column = len(self.text) - len(self.text.lstrip())
        if self.notebook:
            return self.notebook.spot(self.line, column)
        return Spot(self.line, column + 1, self.text)

    def keyword(self, name: str) -> Spot | None:
        """Where a call that the line is part of is given a keyword; None if it is given none."""
        calls = [call for call in _calls(self.script) if call.lineno <= self.line <= _last(call)]
        for call in sorted(calls, key=lambda inner: inner.lineno, reverse=True):
            for keyword in call.keywords:
                if keyword.arg == name:
                    return CodeLine(self.file, keyword.lineno, self.notebook).spot(
                        keyword.col_offset
                    )
        return None

    @property
    def script(self) -> str:
        """The source that the line is part of."""
        return self.notebook.script if self.notebook else _read(self.file)


def _last(call: ast.Call) -> int:
    return call.end_lineno or 0


@lru_cache(maxsize=8)
def _read(file: Path) -> str:
    try:
        return file.read_text("utf-8", "replace")
    except OSError:
        return ""


@lru_cache(maxsize=8)
def _calls(script: str) -> tuple[ast.Call, ...]:
    return tuple(node for node in ast.walk(parsed(script)) if isinstance(node, ast.Call))
