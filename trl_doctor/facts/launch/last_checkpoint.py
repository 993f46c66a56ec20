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

LISTS_BY_ITSELF = re.compile(r"-[A-Za-z]*[tvcuUSX]|--(?:sort|time)\b|-printf")
"""Options of `ls` and `find` by which names are not listed by their letters."""

BY_NUMBER = re.compile(r"-[^-]*[Vngh]|[\d.,]+[A-Za-z]*[Vngh]|--(?:[vngh]\w+-\w*|sort|key=.*[Vngh])")
"""Options of `sort` that compare numbers: `-V`, `-k2,2n`, `--version-sort`."""

PASSING = ("grep", "egrep", "sort")
"""Commands whose output has the names as they are."""


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
    if facts.run.arguments.get("save_total_limit") == 1:
        return None  # there is one
    listing, *others = [part.split() for part in found[1].split("|")[:-1]]
    if any(map(LISTS_BY_ITSELF.match, listing)):
        return None
    for words in others:
        if words[:1] and (words[0] not in PASSING or any(map(BY_NUMBER.match, words[1:]))):
            return None
    return ByLetters(found[1], place_at(target, text, found.start(1)))
