"""The commands of a shell text as words, each with its line, variables replaced where known."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec.structs import replace

from trl_doctor.files.launch.shell.branches import Branches
from trl_doctor.files.launch.shell.exports import EXPORT, exported
from trl_doctor.files.launch.shell.forgotten import change
from trl_doctor.files.launch.shell.functions import LOCAL, called, entered, left, set_aside, shift
from trl_doctor.files.launch.shell.inside import Document, here_document, keep
from trl_doctor.files.launch.shell.loops import of_braces
from trl_doctor.files.launch.shell.quoting import (
    Reader,
    command,
    escaped,
    literal,
    marked,
    quoted,
    variable,
)
from trl_doctor.files.launch.shell.sourced import placed, sourced
from trl_doctor.files.launch.shell.standard_input import NAME, reading_script
from trl_doctor.files.launch.shell.variables import MARK, Shell, Word

OPERATORS = ("&&", "||", ";;", ";", "|", "&", "(", ")")

REDIRECTED = re.compile(r"\d*>&\d|\d*>>?&?|&>>?|\d*<(?!<)")
"""What writes to a file or reads from one."""

ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)(\+?)=")
RUNNING = re.compile(r"(?:.*/)?(?:ba|z)?sh|sbatch|ssh")
"""Programs that run the commands of a here-document."""

NUMBERED = re.compile(r"\[\w+\]=")
"""A word of an array with its number: `A=([1]=x [2]=y)`."""

LARGEST = 2**20
"""Characters of a launch file that are read."""


def commands(text: str, shell: Shell, first: int = 1) -> Iterator[list[Word]]:
    """The commands of a text, one after the other; `first` is the number of its first line.

    Assignments are kept in `shell` and are no part of a command that follows on the same line.
    """
    reader = Reader(set_aside(text[:LARGEST], first, shell), shell, first)
    branches, begun = Branches(shell), 0
    words: list[Word] = []
    target, added = "", False
    while reader.at < len(reader.text):
        char = reader.text[reader.at]
        if reader.text.startswith(("\\\n", "\\\r\n"), reader.at):
            reader.at = reader.text.index("\n", reader.at) + 1
        elif ending := _ending(reader):
            written = reader.text[begun : reader.at]
            if words and not branches.command(words, ending, begun, written):
                yield from _command(words, shell, branches)
            branches.ended(words, ending, written)
            words, target, added = [], "", False
            begun = reader.at = reader.at + len(ending)
        elif char.isspace():
            reader.at += 1
        elif redirection := REDIRECTED.match(reader.text, reader.at):
            reader.at = redirection.end()
            if not redirection.group()[-1].isdigit():
                target, added = _target(reader), ">>" in redirection.group()
        elif char == "#":
            reader.to_line_end()
        elif reader.text.startswith("<<", reader.at):
            document = here_document(reader)
            if any(RUNNING.fullmatch(word.text) for word in words):
                yield from commands(document.text, shell.inner(), document.line)
            else:
                words = _documented(words, document, shell, target, added=added)
        else:
            words += _words(reader)
            if len(words) == 1 and branches.keyword(words[0], reader.at):
                words, begun = [], branches.goes_back(reader, begun)
    if words:
        yield from _command(words, shell, branches)


def _documented(
    words: list[Word], document: Document, shell: Shell, target: str, *, added: bool
) -> list[Word]:
    """Keep the file that a here-document is; the words of the command that reads it as a script."""
    if script := reading_script(words, document.text):
        keep(shell, NAME, document, added=False)
        return script
    if name := document.target or target or _teed(words):
        keep(shell, name, document, added=added or document.added)
    return words


def _ending(reader: Reader) -> str:
    """The operator or the line's end that ends a command here; "" if none is here."""
    endings = (*OPERATORS, "\n")
    return next((text for text in endings if reader.text.startswith(text, reader.at)), "")


def _target(reader: Reader) -> str:
    """Pass over the file that is written or read: its name as it is written."""
    while reader.at < len(reader.text) and reader.text[reader.at] in " \t":
        reader.at += 1
    before = reader.at
    if reader.at < len(reader.text) and not reader.text[reader.at].isspace():
        _words(reader)
        reader.at = max(reader.at, before + 1)
    return reader.text[before : reader.at].strip("\"'")


def _teed(words: list[Word]) -> str:
    """The file that `tee` writes."""
    names = [word.text for word in words if not word.text.startswith("-")]
    return names[1] if len(names) > 1 and names[0] == "tee" else ""


def _command(words: list[Word], shell: Shell, branches: Branches) -> Iterator[list[Word]]:
    """Keep assignments in the shell; yield the words of a command after them."""
    if words[0].text == "shift" and shell.arguments:
        shift(shell, words, branches.happens)
    words = words[1:] if words[0].text in LOCAL and len(words) > 1 else words
    marks = [word.text for word in words if word.text in EXPORT and word.bare]
    words = [word for word in words if word.text not in EXPORT or not word.bare]
    exports = "export" in marks or "-x" in marks
    at = 0
    while at < len(words) and (assignment := ASSIGNMENT.match(words[at].text)):
        at += 1
    before = shell.inner()
    for word in words[:at]:  # what stands before a command is in its environment alone
        if assignment := ASSIGNMENT.match(word.text):
            value, added = word.behind(assignment.end()), bool(assignment[2])
            shell.set(assignment[1], value, added=added, exported=exports or at < len(words))
    exported(words[at:], shell, exports=exports)
    if at < len(words):
        change(shell, words[at:])
        if text := sourced(words[at:], shell):
            for _ in commands(text, shell):
                pass  # what it sets is kept in the shell
            placed(shell, before, words[at])
            return
        if call := called(words[at:], shell):
            body, given = call
            inner = entered(shell, given)
            for own in commands(body.text, inner, body.line):
                left(inner, shell)
                yield [replace(own[0], called=given[0].line), *own[1:]]
                inner.folder = shell.folder
            left(inner, shell)
        else:
            yield words[at:]
        if not exports:
            shell.restore(before, {word.text.partition("=")[0].rstrip("+") for word in words[:at]})


PIECES = {"'": literal, '"': quoted, "$": variable, "`": command, MARK: marked, "\\": escaped}
"""What reads a piece of a word, by its first character."""


def _words(reader: Reader) -> list[Word]:
    """One word of the text; several if an array or an unquoted variable has several."""
    start, pieces, unknown, bare = reader.at, list[str](), "", True
    several: list[Word] | None = None
    while reader.at < len(reader.text):
        char = reader.text[reader.at]
        if _ends(reader):
            assigns = ASSIGNMENT.fullmatch("".join(pieces))
            if char == "(" and assigns:
                return _array(reader, assigns[1], added=bool(assigns[2]))
            break
        if reader.text.startswith(("\\\n", "\\\r\n"), reader.at):
            break
        bare = bare and char not in ("'", '"')
        if read_piece := PIECES.get(char):
            piece, reason, words = read_piece(reader)
            pieces.append(piece + MARK if reason and MARK not in piece else piece)
            unknown = unknown or reason
            several = words if words is not None else several
        else:
            pieces.append(char)
            reader.at += 1
    if several is not None and "".join(pieces) == " ".join(word.inner for word in several):
        return _replaced(several, reader.word(start, [], "", bare=bare))
    if bare and not unknown and not "".join(pieces):
        return []  # a variable that holds nothing
    return [reader.word(start, pieces, unknown, bare=bare)]


def _ends(reader: Reader) -> bool:
    """Whether a word ends here."""
    operator = any(reader.text.startswith(operator, reader.at) for operator in OPERATORS)
    return operator or reader.text[reader.at].isspace()


def _replaced(words: list[Word], place: Word) -> list[Word]:
    """The words of a variable at the place where it stood; unquoted ones split at their blanks.

    An option stays where an array has it.
    """
    if not place.bare:
        own = [word.line > 0 and word.text.startswith("--") for word in words]
        at = [word if there else place for word, there in zip(words, own, strict=True)]
        return [
            Word(word.text, where.line, where.column, word.open, False, word.marked)
            for word, where in zip(words, at, strict=True)
        ]
    return [
        Word(
            piece.replace(MARK, ""),
            place.line,
            place.column,
            word.open if MARK in piece else "",
            marked=piece if MARK in piece else "",
        )
        for word in words
        for piece in word.inner.split() or ([MARK] if word.open else [])
    ]


def _array(reader: Reader, name: str, *, added: bool) -> list[Word]:
    """`NAME=( … )`, or `NAME+=( … )` behind the words that it has: kept as words."""
    reader.at += 1
    words: list[Word] = []
    while reader.at < len(reader.text) and reader.text[reader.at] != ")":
        char = reader.text[reader.at]
        if char.isspace() or char in ";&|(":
            reader.at += 1
        elif char == "\\" and reader.text[reader.at + 1 : reader.at + 2] in ("\n", "\r"):
            reader.at += 2
        elif char == "#":
            reader.to_line_end()
        else:
            words += _words(reader)
    reader.at += 1
    earlier = reader.shell.variables.get(name, []) if added else []
    numbered = any(NUMBERED.match(word.text) for word in words)
    whole = [*(earlier or []), *(each for word in words for each in of_braces(word))]
    reader.shell.variables[name] = None if earlier is None or numbered else whole
    return []
