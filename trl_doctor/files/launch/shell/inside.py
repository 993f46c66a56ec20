"""Files that a launch file contains: here-documents, and the texts of a ConfigMap."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from msgspec import Struct

from trl_doctor.core.finding import Json
from trl_doctor.core.unavailable import Undecided
from trl_doctor.files.launch.shell.quoting import Reader, spelled, variable
from trl_doctor.files.launch.shell.variables import Inside, Shell, Word
from trl_doctor.files.unknown_word import PLACEHOLDER

HEADING = re.compile(r"<<(-?)\s*(['\"\\]?)(\w+)['\"]?")
TARGET = re.compile(r"(>>?)\s*(\"[^\"]*\"|'[^']*'|[^\s|;&]+)")

EDITORS = ("sed", "perl", "yq", "envsubst", "ed", "patch", "rm")


class Document(Struct, frozen=True):
    """A here-document. `target` is the file that the rest of its first line writes to, or "".

    `literal` says that variables in it are not replaced, `added` that the file had a text before.
    """

    text: str = ""
    line: int = 0
    target: str = ""
    literal: bool = False
    added: bool = False


def here_document(reader: Reader) -> Document:
    """Pass over a here-document, or `<<<`."""
    heading = HEADING.match(reader.text, reader.at)
    if heading is None:
        reader.at += 2
        return Document()
    end = re.compile(rf"^\s*{re.escape(heading[3])}\s*$", re.MULTILINE)
    start = reader.text.find("\n", heading.end())
    closing = end.search(reader.text, start) if start >= 0 else None
    reader.at = closing.end() if closing else len(reader.text)
    body = reader.text[start + 1 : closing.start()] if closing else ""
    line = reader.first + reader.text.count("\n", 0, start + 1)
    target = TARGET.search(reader.text[heading.end() : max(start, 0)])
    name = target[2].strip("\"'") if target else ""
    return Document(body, line, name, bool(heading[2]), bool(target and target[1] == ">>"))


def keep(shell: Shell, name: str, document: Document, *, added: bool) -> None:
    """Remember the file that a here-document writes."""
    text = document.text if document.literal else expanded(document.text, shell)
    known, line = expanded(name, shell), document.line
    name = spelled(name) if PLACEHOLDER in known else known
    if added and (before := shell.files.get(name)):
        between = line - before.line - before.text.count("\n")
        text, line = before.text + "\n" * between + text, before.line
    shell.files[name] = Inside(text, line)


def forget_edited(shell: Shell, words: Sequence[Word]) -> None:
    """What a command like `sed` changes is no longer known."""
    if PurePosixPath(words[0].text).name in EDITORS:
        for word in words[1:]:
            shell.files.pop(word.text, None)


def expanded(text: str, shell: Shell) -> str:
    """A text with the variables that are known, and `PLACEHOLDER` for the others."""
    reader, pieces = Reader(text, shell), list[str]()
    while reader.at < len(text):
        char = text[reader.at]
        if char == "\\" and text[reader.at + 1 : reader.at + 2] in ("$", "`", "\\"):
            pieces.append(text[reader.at + 1])
            reader.at += 2
        elif char == "$":
            piece, reason, _ = variable(reader)
            pieces.append(PLACEHOLDER if reason else piece)
        else:
            pieces.append(char)
            reader.at += 1
    return "".join(pieces)


def name_of(word: Word, files: Mapping[str, Inside]) -> str:
    """The file that a word names: as it is written, if it has a part that is not known.

    A file with such a name is only known if `files` has it.
    """
    return word.spelled if word.open and word.spelled in files else word.text


def named_exactly(files: Mapping[str, Inside], name: str) -> Inside | None:
    """The file that has this name, or whose end it is where the name is an absolute path."""
    if name in files:
        return files[name]
    return named_alike(files, name) if name.startswith("/") else None


def named_alike(files: Mapping[str, Inside], name: str) -> Inside | None:
    """The only file whose name ends like this one."""
    end = PurePosixPath(name).name
    alike = [file for key, file in files.items() if end and PurePosixPath(key).name == end]
    return alike[0] if len(alike) == 1 else None


def filled_in(values: Mapping[str, Json], where: str) -> dict[str, Undecided]:
    """The keys whose values another program fills in, with the reason why they are not known."""
    return {
        key: Undecided(f"{key} is not known: a variable gives it ({where})")
        for key, value in values.items()
        if PLACEHOLDER in str(value)
    }
