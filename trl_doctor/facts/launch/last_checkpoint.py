"""How a launch file looks for the newest checkpoint."""

from __future__ import annotations

import re

from msgspec import Struct

from trl_doctor.core.finding import Place
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.launch.launch_line import own_text, place_at

LAST = re.compile(
    r"^[^#\n]*?((?:ls|find|printf|echo|compgen)\b[^\n|]*checkpoint-[^\n|]*"
    r"((?:\|[^\n|]*){0,2})\|\s*tail\s+-(?:n\s*)?1\b)",
    re.MULTILINE,
)
"""The last of several checkpoints, as a pipe sorts them."""

BY_NUMBER = re.compile(r"sort\s+[^|]*(?:-\w*[Vng]|--version-sort|--numeric|--sort)|\bsed\b|\bawk\b")
BY_TIME = re.compile(r"\bls\s+(?:-\w+\s+)*-\w*[tvcu]|-printf")
"""What sorts them by their numbers or times."""


class ByLetters(Struct, frozen=True):
    """The command that sorts checkpoints by their letters, and its place."""

    command: str
    place: Place


def sorted_by_letters(facts: Facts) -> ByLetters | None:
    """Raises `NotConcerned` where the launch file looks for no checkpoint."""
    target = facts.run.target
    text = own_text(target) or ""
    found = LAST.search(text)
    if found is None or target.launch is None:
        raise NotConcerned("the launch file looks for no newest checkpoint")
    command = found[1]
    if BY_NUMBER.search(command) or BY_TIME.search(command):
        return None
    return ByLetters(command, place_at(target, text, found.start(1)))
