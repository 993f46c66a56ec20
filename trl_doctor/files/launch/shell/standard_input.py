"""Scripts that a command reads from its standard input: `python - <<EOF`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec.structs import replace

from trl_doctor.files.launch.shell.variables import Word
from trl_doctor.files.source.notebooks.started import MAKES_TRAINER

NAME = "here-document.py"
"""The script of a here-document, which has no name of its own."""

PYTHON = re.compile(r"(?:.*/)?python[\d.]*")
STANDARD_INPUT = ("-", "/dev/stdin")
LAUNCHERS = re.compile(r"(?:.*/)?(?:torchrun|accelerate|deepspeed)")


def reading_script(words: Sequence[Word], text: str) -> list[Word] | None:
    """The words of a command with `NAME` as its script; None if it reads no script that trains."""
    if not MAKES_TRAINER.search(text):
        return None
    programs = [at for at, word in enumerate(words) if PYTHON.fullmatch(word.text)]
    launchers = [at for at, word in enumerate(words) if LAUNCHERS.fullmatch(word.text)]
    start = min((*programs, *launchers), default=None)
    if start is None:
        return None
    for at in range(start + 1, len(words)):
        if words[at].text in STANDARD_INPUT:
            return [*words[:at], replace(words[at], text=NAME), *words[at + 1 :]]
    options = words[programs[-1] + 1 :] if programs else words
    if all(word.text in ("-u", "-B", "-s", "-E") for word in options):
        return [*words, replace(words[-1], text=NAME, open="")]
    return None
