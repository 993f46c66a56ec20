"""The variables of a shell text, and their values."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct, field

NAME = re.compile(r"[A-Za-z_]\w*")


ITEM = re.compile(r"([A-Za-z_]\w*)\[(\d+|\$?[A-Za-z_]\w*|\$\{[A-Za-z_]\w*\})\]")
"""One word of an array, by a number or a variable that holds one."""

FILES = re.compile(r"[*?\[{]")
"""What a shell may replace by several words: files, or what stands in braces."""

MARK = "\0"
"""Replaces a variable that is not known, in a text."""


class Word(Struct, frozen=True):
    """A word of a command; `open` is the reason why its value is not known, "" if it is known.

    `bare` says that no part of it was quoted; `marked` is the text with a `MARK` for each part that
    is not known, `spelled` is then how the file writes it, without quotation marks and braces.
    `called` is, of a command's first word in a function, the line that calls this, 0 of others.
    """

    text: str
    line: int
    column: int
    open: str = ""
    bare: bool = True
    marked: str = ""
    spelled: str = ""
    called: int = 0

    @property
    def inner(self) -> str:
        """The text as a shell inside reads it, `MARK` for what is not known."""
        return self.marked or self.text

    def behind(self, at: int) -> Word:
        """The same word without its first characters, all of which are known."""
        return Word(
            self.text[at:],
            self.line,
            self.column,
            self.open,
            self.bare,
            self.marked[at:],
            self.spelled[at:],
        )


def may_be_options(word: Word) -> bool:
    """Whether a word is a variable that is not known, which may hold several words."""
    return bool(word.open) and not word.text and word.bare


class Inside(Struct, frozen=True):
    """A file that a launch file contains; `line` is that of its first line there.

    `cells` are the cells of a notebook that write it, by their index in the notebook.
    """

    text: str
    line: int
    cells: tuple[int, ...] = ()

    @property
    def data(self) -> bytes:
        """Its bytes, with each line at its number in the launch file."""
        return ("\n" * (self.line - 1) + self.text).encode(errors="surrogateescape")


class Shell(Struct):
    """The variables of a shell text that has been read so far; None for an unknown value.

    `kept` are those that the text sets and does not export, each with its value: a program that it
    starts does not get them. `exports_all` is true after `set -a`. `files` are
    those that it writes. `launcher` is the file that the text is in, `sources` are the names of the
    files that it has read into this shell. `folder` is the one that it has gone to, "" if that is
    not known, since the line `went`, and `mounts` are paths inside its container with those
    outside. `each_line` says that a shell runs each line, `copied` that Slurm
    runs a copy of the file in another folder.
    `functions` are those of the text that it calls, `arguments` those of the one that runs, or of
    the file. `turn` are the variables of the loops that the text is in, with their values.
    `lacking` are arrays of which a word behind the last one was asked for, with its number and
    that of the words. `first_number` is the number of an array's first word, 1 in zsh.
    """

    variables: dict[str, list[Word] | None] = field(default_factory=dict)
    kept: dict[str, Word] = field(default_factory=dict)
    exports_all: bool = False
    exported: set[str] = field(default_factory=set)
    files: dict[str, Inside] = field(default_factory=dict)
    launcher: Path | None = None
    sources: set[str] = field(default_factory=set)
    folder: str = ""
    mounts: tuple[tuple[str, str], ...] = ()
    went: int = 0
    each_line: bool = False
    copied: bool = False
    functions: dict[str, Inside] = field(default_factory=dict)
    arguments: dict[str, list[Word]] = field(default_factory=dict)
    turn: dict[str, str] = field(default_factory=dict)
    lacking: dict[str, tuple[int, int]] = field(default_factory=dict)
    first_number: int = 0

    def export(self, name: str) -> None:
        """The variable is exported, now and with every later value."""
        self.exported.add(name)
        self.kept.pop(name, None)

    def set(self, name: str, value: Word, *, added: bool, exported: bool) -> None:
        """An assignment, perhaps with `+=`, perhaps exported."""
        earlier = self.variables.get(name) if added else None
        certain = value.text or not value.open
        was_exported = name in self.exported or (name in self.variables and name not in self.kept)
        self.variables[name] = [*(earlier or []), value] if certain else None
        if exported or self.exports_all or was_exported:
            self.kept.pop(name, None)
        else:
            self.kept[name] = value

    def restore(self, before: Shell, names: Iterable[str]) -> None:
        """Give variables the values that they had before."""
        for name in names:
            self.variables.pop(name, None)
            self.kept.pop(name, None)
            if name in before.variables:
                self.variables[name] = before.variables[name]
            if name in before.kept:
                self.kept[name] = before.kept[name]

    def inner(self) -> Shell:
        """The variables of a shell that this one starts."""
        return Shell(
            dict(self.variables),
            dict(self.kept),
            self.exports_all,
            set(self.exported),
            self.files,
            self.launcher,
            set(self.sources),
            self.folder,
            self.mounts,
            0,
            self.each_line,
            self.copied,
            self.functions,
            turn=self.turn,
            lacking=self.lacking,
            first_number=self.first_number,
        )

    def value(self, name: str) -> str | None:
        """The value of a variable as one text; None if it is not known."""
        words = self.variables.get(name)
        if words is None or any(word.open for word in words):
            return None
        return " ".join(word.text for word in words)


def value_of(shell: Shell, name: str) -> tuple[str, str, list[Word] | None]:
    words = shell.variables.get(name, shell.arguments.get(name))
    if words is None and name == "PWD" and name not in shell.variables:
        return shell.folder or ".", "", None
    if words is None and name == "PYTHONPATH" and name not in shell.variables:
        return "", "", None  # what the user's own shell has is no part of the project
    if words is None:
        return "", f"the variable {name} gives it", None
    reason = next((word.open for word in words if word.open), "")
    return " ".join(word.inner for word in words), reason, words


def braced(inside: str, shell: Shell) -> tuple[str, str, list[Word] | None]:
    """`${NAME}`, `${NAME:-default}`, `${NAME[@]}`, `${NAME[0]}`, `${NAME[$INDEX]}`."""
    if item := ITEM.fullmatch(inside):
        return _item(item[1], item[2], shell)
    match_ = re.match(r"([A-Za-z_]\w*|\d)(\[[@*]\]|:?[-=](.*))?$", inside, re.DOTALL)
    if match_ is None or (match_[1].isdigit() and match_[2] is None and not shell.arguments):
        return "", f"${{{inside:.40}}} gives it", None
    lacks = shell.variables.get(match_[1]) is None and not shell.arguments.get(match_[1])
    lacks = lacks or ((match_[2] or "").startswith(":") and shell.value(match_[1]) == "")
    if lacks and match_[3] is not None and "$" not in match_[3]:
        default = match_[3].strip("\"'")
        return default, "", [Word(default, 0, 0)]
    return value_of(shell, match_[1])


def _item(name: str, index: str, shell: Shell) -> tuple[str, str, list[Word] | None]:
    """One word of an array."""
    number = index if index.isdigit() else shell.value(index.strip("${}")) or ""
    words = shell.variables.get(name)
    if words is None or not number.isdigit():
        return "", f"${{{name}[{index}]}} gives it", None
    at = int(number) - shell.first_number
    if at < 0:
        return "", f"${{{name}[{index}]}} gives it", None
    if why := next((word.open for word in words[: at + 1] if word.open), ""):
        return "", why, None  # a word that is not known may be several
    if at >= len(words):
        if any(word.bare and FILES.search(word.text) for word in words):
            return "", f"${{{name}[{index}]}} gives it", None  # the files of a pattern
        shell.lacking[name] = (at, len(words))
    word = words[at] if at < len(words) else Word("", 0, 0)
    return word.inner, word.open, None


def closing(text: str, at: int) -> int:
    """The index behind the parenthesis that closes the one at `at`."""
    depth = 0
    for index in range(at, len(text)):
        depth += (text[index] == "(") - (text[index] == ")")
        if depth == 0:
            return index + 1
    return len(text)
