"""A file that a shell line of a notebook may make: a rehearsal does not run these lines."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trl_doctor.core.plain import excerpt
from trl_doctor.files.formats.text import Invalid
from trl_doctor.files.source.notebooks.started import STARTS, lines_for_shell
from trl_doctor.files.source.text import pieces
from trl_doctor.rehearsing.code_line import CodeLine
from trl_doctor.rehearsing.command.notebook import Notebook
from trl_doctor.rehearsing.ending.failure import Failure
from trl_doctor.rehearsing.events import Event, Events

MAKES_NOTHING = re.compile(
    r"(?:\S*/)?(?:pip3?|uv|conda|mamba|apt|apt-get|ls|cat|head|tail|rm|du|df|cd|pwd|echo|export|wc|set"
    r"|sleep|exit|true|nvidia-smi|python3?\s+-m\s+pip|python3?\s+--version|which|free|huggingface-cli\s+login"
    r"|hf\s+auth|wandb|tensorboard)\b(?!.*>)"
)
"""Commands that write none of the files that a training reads."""

NAMED = re.compile(r"'([^'\n]+)'")


def unmade(events: Events, event: Event, at: CodeLine | None) -> Failure | None:
    """The line of the notebook that may make the file which is not there; None if none may."""
    book = events.notebook
    if book is None or event["type"] != "FileNotFoundError":
        return None
    path = str((event.get("facts") or {}).get("path") or "")
    name = path or next(iter(NAMED.findall(event["message"])), "")
    lines = list(_lines(book))
    if not lines:
        return None
    parts = [part for part in name.split("/") if part not in ("", ".", "..")]
    known = str(book.path.parent).split("/")
    words = [part for part in parts if part not in known]
    fitting = [line for line in lines if any(word in line[1] for word in words)]
    writes = (event.get("facts") or {}).get("writes")  # a folder that is not there
    if writes and not fitting:
        return None
    where, command = (fitting or lines)[0]
    shown = excerpt(command)
    return Failure(
        "machine",
        f"{name or 'a file'} is not here; a rehearsal does not run {where} (`{shown}`), which may "
        "make it",
        f"run that line in {book.path.parent}, and rehearse again",
        at,
        "unmade",
    )


def _lines(book: Notebook) -> Iterator[tuple[str, str]]:
    """The shell lines of a notebook that may make a file, each with its place."""
    try:
        cells = pieces(book.path, book.data)
    except Invalid:
        return
    for cell in cells:
        for number, command in lines_for_shell(cell):
            trains = STARTS.search(command) and (not book.cells or book.started)
            if command and not MAKES_NOTHING.match(command) and not trains:
                yield f"cell {cell.number}, line {number}", command
