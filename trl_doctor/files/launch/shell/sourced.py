"""Files of variables that a launch file reads: `source env.sh`, `env_file` of Compose."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from trl_doctor.files import document
from trl_doctor.files.formats.text import Invalid, decoded
from trl_doctor.files.launch.shell.inside import named_exactly
from trl_doctor.files.launch.shell.named import find
from trl_doctor.files.launch.shell.variables import Shell, Word

OF_THE_MACHINE = re.compile(r"/(?:etc|usr|opt)/.*|~.*|.*(?:activate|rc|profile|conda\.sh)")
"""Files of the machine on which the job runs: those of this one say nothing about it."""

LINE = re.compile(r"^[ \t]*(?:export[ \t]+)?([A-Za-z_]\w*)=(.*?)[ \t]*\r?$", re.MULTILINE)
QUOTED = re.compile(r"\"((?:[^\"\\]|\\.)*)\"|'([^']*)'")
PRINTED = re.compile(
    r"(?:\$\(|`)\s*(?:cat|e?grep|sed|xargs)(?:\s[^|]*?)?\s+(?:<\s*)?"
    r"([^\s|)`<$*]+)\s*(?:\|[^)`]*)?[)`]$"
)
"""A command that prints the lines of a file, or those that are no comments."""

COMMENT = re.compile(r"\s+#.*$")


def sourced(words: Sequence[Word], shell: Shell) -> str:
    """The text that `source` or `.` reads into this shell; "" if it is not known, or was read."""
    if len(words) < 2 or words[0].text not in ("source", ".") or not words[1].text:
        return ""
    name = words[1].text
    if OF_THE_MACHINE.fullmatch(name) or name in shell.sources:
        return ""
    shell.sources.add(name)
    if inside := named_exactly(shell.files, name):
        return inside.text
    return text_of(name, shell.launcher) if shell.launcher else ""


def of_command(text: str, shell: Shell) -> Mapping[str, str]:
    """The variables of a file that a command prints: `$(grep -v '^#' .env | xargs)`."""
    printed = PRINTED.match(text)
    if printed is None or shell.launcher is None:
        return {}
    return env_file(printed[1], shell.launcher)


def placed(shell: Shell, before: Shell, at: Word) -> None:
    """Give what a sourced file has set the place of the line that names the file."""
    for name, words in shell.variables.items():
        if words and words is not before.variables.get(name):
            shell.variables[name] = [_at(word, at) for word in words]
    for name, word in shell.kept.items():
        if word is not before.kept.get(name):
            shell.kept[name] = _at(word, at)


def _at(word: Word, place: Word) -> Word:
    return Word(word.text, place.line, place.column, word.open, word.bare, word.marked)


def env_file(name: str, launcher: Path) -> Mapping[str, str]:
    """The variables of a file with a line for each, as Docker reads it; none if it is not here."""
    return {key: _value(value) for key, value in LINE.findall(text_of(name, launcher))}


def _value(value: str) -> str:
    if quoted := QUOTED.match(value):
        return quoted[1] or quoted[2] or ""
    return COMMENT.sub("", value)


def text_of(name: str, launcher: Path) -> str:
    """The text of a file that a launch file names; "" if it is not here."""
    path = find(name, launcher)
    if path is None:
        return ""
    try:
        return decoded(document.read_bytes(path))
    except (document.Unreadable, Invalid):
        return ""
