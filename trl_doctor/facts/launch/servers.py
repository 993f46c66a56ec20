"""The vLLM servers that a launch file starts beside its training."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from msgspec import Struct

from trl_doctor.files.formats.text import Invalid, decoded
from trl_doctor.files.launch.cluster import of_slurm
from trl_doctor.files.launch.shell.variables import Shell, Word
from trl_doctor.files.launch.shell.words import commands
from trl_doctor.files.regular import bytes_of
from trl_doctor.files.target import Target

OF_SHELL = ("a Slurm script", "a shell script")
PORT = 8000
"""The port of `trl vllm-serve` if none is given."""


class Server(Struct, frozen=True):
    """A server that a line starts, on a port; None if that is not known."""

    line: int
    column: int
    port: int | None


def started_servers(target: Target) -> list[Server]:
    """What `trl vllm-serve` starts in the launch file of a training; nothing in other files."""
    if target.launched_by is None or not target.taken_for.startswith(OF_SHELL):
        return []
    try:
        text = decoded(bytes_of(target.launched_by))
    except (OSError, Invalid):
        return []
    given = {name: [Word(value, 0, 0)] for name, value in of_slurm(text).variables.items()}
    shell = Shell({**given}, launcher=target.launched_by)
    return [server for words in commands(text, shell) for server in _started(words)]


def _started(words: Sequence[Word]) -> Iterator[Server]:
    for at, word in enumerate(words[:-1]):
        name = PurePosixPath(word.text).name
        if name == "trl" and words[at + 1].text == "vllm-serve":
            yield Server(word.line, word.column, _port(words[at + 2 :]))


def _port(words: Sequence[Word]) -> int | None:
    """The port that the options name; none if one of them is not known."""
    if any(word.open and not word.text and word.bare for word in words):
        return None  # it may be several options
    for at, word in enumerate(words):
        name, equals, value = word.text.partition("=")
        if name == "--config":
            return None
        if name == "--port":
            given = word if equals else next(iter(words[at + 1 : at + 2]), word)
            text = value if equals else given.text
            return int(text) if text.isdigit() and not given.open else None
    return PORT
