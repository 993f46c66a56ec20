"""Versions that a script or notebook itself asks for: `!pip install trl==0.24.0`."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from trl_doctor.core.distribution import normal
from trl_doctor.files.formats.text import Invalid
from trl_doctor.files.source.text import Piece, pieces

INSTALL = re.compile(
    r"^\s*[!%]\s*(?:uv\s+)?(?:(?:\{?sys\.executable\}?|python3?)\s+-m\s+)?pip3?\s+install\b(.*)"
)
METADATA = re.compile(r"(?ms)^# /// script\s*$\n(.*?)^# ///\s*$")
DEPENDENCY = re.compile(r"""["']([^"'\s]+)["']""")
NAME = re.compile(r"[A-Za-z0-9][\w.-]*")
PIN = re.compile(r"([A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])?==([0-9][\w.+!-]*)")


class Pin(Struct, frozen=True):
    """A package with one version, and where it is asked for: `cell 1, line 2`, or `line 3`."""

    package: str
    version: str
    where: str


def pins(path: Path, data: bytes) -> list[Pin]:
    """The versions that a notebook installs, or that a script's own metadata (PEP 723) names.

    Of a package that is named twice the last one counts. A script that cannot be read has none.
    """
    try:
        cells = pieces(path, data)
    except Invalid:
        return []
    return list({pin.package: pin for piece in cells for pin in _of(piece)}.values())


def installs(path: Path, data: bytes) -> str:
    """Where a notebook first installs packages, or a script names them; "" if none does."""
    try:
        cells = pieces(path, data)
    except Invalid:
        return ""
    return next((where for piece in cells for where, _ in _installed(piece)), "")


def installed_at(path: Path, data: bytes, package: str) -> str:
    """Where a notebook or a script's metadata asks for a package; "" if none does."""
    try:
        cells = pieces(path, data)
    except Invalid:
        return ""
    package_name = normal(package.partition("[")[0])
    for piece in cells:
        for where, words in _installed(piece):
            matches = (NAME.match(word) for word in words)
            if any(name and normal(name[0]) == package_name for name in matches):
                return where
    return ""


def _of(piece: Piece) -> Iterator[Pin]:
    for where, words in _installed(piece):
        for word in words:
            yield from _pin(word, where)


def _installed(piece: Piece) -> Iterator[tuple[str, list[str]]]:
    """What is installed, and where that is asked for."""
    if piece.cell is None:
        yield from _metadata(piece.text)
        return
    lines = piece.text.split("\n")
    for number, line in enumerate(lines, 1):
        more = iter(lines[number:])
        while line.endswith("\\"):
            line = line[:-1] + next(more, "")
        installed = INSTALL.match(line)
        if installed:
            yield f"cell {piece.number}, line {number}", _words(installed[1])


def _metadata(text: str) -> Iterator[tuple[str, list[str]]]:
    for block in METADATA.finditer(text):
        for dependency in DEPENDENCY.finditer(text, block.start(), block.end()):
            line = text.count("\n", 0, dependency.start()) + 1
            yield f"line {line}", [dependency[1]]


def _pin(word: str, where: str) -> Iterator[Pin]:
    pin = PIN.fullmatch(word)
    if pin:
        yield Pin(normal(pin[1]), pin[2], where)


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text, comments=True)
    except ValueError:
        return text.split()
