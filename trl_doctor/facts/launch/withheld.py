"""Variables that a launch file sets, and that what it starts does not get."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.launch.launch_line import READS_OTHERS
from trl_doctor.files.document import Document
from trl_doctor.files.launch.shell.variables import Word
from trl_doctor.files.regular import text_of

SET_ANYWAY = re.compile(
    r"(?:LOCAL_|NODE_|GROUP_)?(?:RANK|WORLD_SIZE)|MASTER_\w+|SLURM_\w+|CUDA_\w+"
    r"|HOME|USER|PATH|LD_LIBRARY_PATH|TMPDIR|SCRATCH|WORK|HOSTNAME|LANG|SHELL"
)
"""Variables that launchers set, and those that the machine exports already."""

READS = r"""(?:environ(?:\.get\(|\[|\.setdefault\()|getenv\()\s*["']%s["']"""
WRITES = r"""environ\[\s*["']%s["']\s*\]\s*=(?!=)"""
SETS = r"\b{0}\+?=|\b(?:for|read|mapfile|readarray|getopts|select|printf\s+-v)\b[^\n]*\b{0}\b"
SHOWS = re.compile(r"\s*(?:#|echo\b|printf\b(?!\s+-v))")
"""A line that a variable changes nothing in."""


class Withheld(Struct, frozen=True):
    """A variable and the word that sets it; `line` is the one of a started file that names it."""

    name: str
    setting: Word
    line: int = 0


def withheld_from_file(facts: Facts) -> tuple[Withheld, ...]:
    """The variables that the launch file names and does not set, and that its starter has set."""
    launch = facts.run.target.launch
    if launch is None or not launch.file or not launch.withheld:
        return ()
    try:
        lines = text_of(Path(launch.file), "replace").split("\n")
    except OSError:
        return ()
    lines = ["" if SHOWS.match(line) else line for line in lines]
    return () if any(map(READS_OTHERS.match, lines)) else tuple(_named(launch.withheld, lines))


def _named(withheld: Mapping[str, Word], lines: Sequence[str]) -> Iterator[Withheld]:
    for name, word in withheld.items():
        names, sets = re.compile(rf"\$\{{?{name}\b"), re.compile(SETS.format(name))
        line = next((number for number, text in enumerate(lines, 1) if names.search(text)), 0)
        if line and not SET_ANYWAY.fullmatch(name) and not any(map(sets.search, lines)):
            yield Withheld(name, word, line)


def withheld_from_script(facts: Facts) -> tuple[Withheld, ...]:
    """The variables that the script reads of its environment. Raises `NotConcerned`."""
    launch, file = facts.run.target.launch, facts.run.file
    if launch is None or not launch.script:
        raise NotConcerned("no launch file starts this script")
    if not isinstance(file, Document) or file.path.suffix != ".py":
        raise NotConcerned("the source of the script is not read here")
    source = file.data.decode(errors="replace")
    return tuple(
        Withheld(name, word)
        for name, word in launch.kept.items()
        if not SET_ANYWAY.fullmatch(name)
        and re.search(READS % name, source)
        and not re.search(WRITES % name, source)
    )
