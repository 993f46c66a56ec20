"""Options of Slurm that a job has below its first command."""

from __future__ import annotations

import re

from msgspec import Struct

from trl_doctor.core.finding import Place
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.launch.launch_line import own_text, place_on_line
from trl_doctor.files.launch.directives import of_job, unread
from trl_doctor.files.launch.forms import SLURM

SUBMITS = re.compile(r"^[^#\n]*\bsbatch\b", re.MULTILINE)
"""A line that gives Slurm another job, whose options the file may have too."""


class Unread(Struct, frozen=True):
    """The options that Slurm does not read, the place of the first one, and the command above."""

    options: tuple[str, ...]
    place: Place
    command: int


def unread_directives(facts: Facts) -> Unread | None:
    """Raises `NotConcerned` where no job of Slurm starts the run."""
    target = facts.run.target
    text = own_text(target) or "" if target.taken_for.startswith(SLURM) else ""
    if target.launch is None or not text or (not of_job(text) and SUBMITS.search(text)):
        raise NotConcerned("no job of Slurm starts this run")
    options = unread(text)
    if not options:
        return None
    lines = text.split("\n")
    command = next(n for n, line in enumerate(lines, 1) if line.strip() and line[0] != "#")
    names = tuple(f"{one.name}={one.value}" if one.value else one.name for one in options)
    return Unread(names, place_on_line(target, options[0].line, options[0].column), command)
