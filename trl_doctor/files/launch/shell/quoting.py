"""A place in a shell text, and what its quotation marks and `$` mean there."""

from __future__ import annotations

import re
from collections.abc import Callable

from msgspec import Struct

from trl_doctor.files.launch.shell import expansions, own_folder
from trl_doctor.files.launch.shell.sums import arithmetic
from trl_doctor.files.launch.shell.variables import (
    MARK,
    NAME,
    Shell,
    Word,
    braced,
    closing,
    value_of,
)

Piece = tuple[str, str, list[Word] | None]
"""A part of a word: its text, the reason why it is not known, and its words if it has several."""


class Reader(Struct):
    """A shell text and the place in it that was read last; `first` is its first line's number."""

    text: str
    shell: Shell
    first: int = 1
    at: int = 0

    def word(self, start: int, pieces: list[str], reason: str, *, bare: bool) -> Word:
        """A word that began at `start`."""
        line = self.text.count("\n", 0, start)
        column = start - (self.text.rfind("\n", 0, start) + 1)
        text = "".join(pieces)
        marked = text if MARK in text else ""
        plain = spelled(self.text[start : self.at]) if reason else ""
        return Word(
            text.replace(MARK, ""), self.first + line, column + 1, reason, bare, marked, plain
        )

    def to_line_end(self) -> None:
        """Pass over the rest of the line."""
        end = self.text.find("\n", self.at)
        self.at = end if end >= 0 else len(self.text)


def spelled(text: str) -> str:
    """A word of a file without quotation marks and braces: `"run_${ID}.yaml"` is `run_$ID.yaml`."""
    return re.sub(r"\$\{(\w+)\}", r"$\1", text.replace('"', "").replace("'", ""))


def quoted(reader: Reader) -> Piece:
    """A text in double quotation marks; its variables are replaced."""
    reader.at += 1
    pieces, unknown = list[str](), ""
    several: list[Word] | None = None
    while reader.at < len(reader.text) and reader.text[reader.at] != '"':
        char = reader.text[reader.at]
        if char == "\\":
            following = reader.text[reader.at + 1 : reader.at + 2]
            pieces.append("" if following == "\n" else following)
            reader.at += 2
        elif char == "$":
            array = bool(re.compile(r"\$\{\w+\[[@*]\]\}|\$@").match(reader.text, reader.at))
            piece, reason, words = variable(reader)
            pieces.append(piece + MARK if reason and MARK not in piece else piece)
            unknown = unknown or reason
            several = words if array else several
        elif char == "`":
            _, reason, _ = command(reader)
            pieces.append(MARK)
            unknown = unknown or reason
        else:
            pieces.append(char)
            reader.at += 1
    reader.at += 1
    return "".join(pieces), unknown, several


def variable(reader: Reader) -> Piece:
    """The value after a `$`: its text, the reason why it is not known, and its words."""
    text, at = reader.text, reader.at
    if text.startswith("$((", at):
        end = text.find("))", at)
        reader.at = end + 2 if end >= 0 else len(text)
        return arithmetic(text[at + 3 : end], reader.shell)
    if text.startswith("$(pwd)", at):
        reader.at = at + len("$(pwd)")
        return value_of(reader.shell, "PWD")
    if text.startswith("$(", at):
        reader.at = closing(text, at + 1)
        inner, value = text[at + 2 : reader.at - 1], _inside(reader)
        if path := own_folder.named(inner, reader.shell, value):
            return path, "", None
        out = expansions.printed(inner, value)
        return ("", "a command gives it", None) if out is None else (out, "", [Word(out, 0, 0)])
    if text.startswith("${", at):
        reader.at = _closing_brace(text, at + 1)
        return _of_braces(text[at + 2 : reader.at - 1], reader)
    name = NAME.match(text, at + 1)
    if name is None:
        reader.at = at + 2 if text[at + 1 : at + 2] in tuple("@*#?!$0123456789") else at + 1
        special = text[at : reader.at]
        if special[1:] in reader.shell.arguments:
            return value_of(reader.shell, special[1:])
        return ("", f"{special} gives it", None) if reader.at > at + 1 else ("$", "", None)
    reader.at = name.end()
    return value_of(reader.shell, name.group())


def _closing_brace(text: str, at: int) -> int:
    """The index behind the brace that closes the one at `at`."""
    depth = 0
    for index in range(at, len(text)):
        depth += (text[index] == "{") - (text[index] == "}")
        if depth == 0:
            return index + 1
    return len(text)


def _of_braces(inside: str, reader: Reader) -> Piece:
    """The value of `${ … }`."""
    if path := own_folder.of_braces(inside, reader.shell):
        return path, "", None
    value = _inside(reader)
    text = expansions.of_braces(inside, reader.shell, value)
    if text is not None:
        return text, "", [Word(text, 0, 0)]
    return braced(expansions.with_default(inside, value), reader.shell)


def _inside(reader: Reader) -> Callable[[str], str | None]:
    """What gives the value of a word in a command of `$( … )`; None if it is not known."""

    def value(word: str) -> str | None:
        text, reason, _ = quoted(Reader(f'"{word}"', reader.shell))
        return None if reason else text

    return value


def command(reader: Reader) -> Piece:
    """Pass over a command in backquotes."""
    end = reader.text.find("`", reader.at + 1)
    reader.at = end + 1 if end >= 0 else len(reader.text)
    return "", "a command gives it", None


def literal(reader: Reader) -> Piece:
    """A text in single quotation marks."""
    start = reader.at + 1
    end = reader.text.find("'", start)
    end = end if end >= 0 else len(reader.text)
    reader.at = end + 1
    return reader.text[start:end], "", None


def escaped(reader: Reader) -> Piece:
    """The character after a backslash."""
    reader.at += 2
    return reader.text[reader.at - 1 : reader.at], "", None


def marked(reader: Reader) -> Piece:
    """The mark of a variable whose value is not known."""
    reader.at += 1
    return "", "a variable gives it", None
