"""What an attempt shows that the made rows of the next one should have."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

FILE = "learnt.json"

LACKING = re.compile(
    r"KeyError: ['\"](\w+)['\"]"
    r"|Column (?:name )?[\['\"]+(\w+)['\"\]]+ (?:not in|doesn't exist|does not exist)"
    r"|Column to remove \['(\w+)'\] not in"
)

WANTED = re.compile(
    r"(?:[Dd]ata ?sets?|[Rr]ows?|[Ee]xamples?) (?:must|should|needs? to) "
    r"(?:contain|have|include|provide)(.+)"
    r"|[Mm]issing (?:required )?(?:columns?|fields?|keys?)(.+)",
    re.DOTALL,
)
QUOTED = re.compile(r"[`'\"](\w+)[`'\"]")
"""How a script says in its own words which columns it needs."""

AS_TEXT = re.compile(
    r"'list' object has no attribute|[Tt]ext input must be of type|TextEncodeInput must be"
    r"|expected string or bytes-like object|expected str instance, list found"
    r"|can only concatenate (?:str|list)|unhashable type: '(?:list|dict)'"
    r"|must be str, not list|replace\(\) argument \d must be str"
)
AS_TALK = re.compile(
    r"string indices must be integers|'str' object has no attribute '(?:get|items|keys|append|pop)'"
    r"|'str object' has no attribute"
)
"""How a script fails that takes a text where the row has a list of messages, or the reverse."""


@dataclasses.dataclass(frozen=True)
class Learnt:
    """Columns that were lacking, and the `form` of the texts: "text", "talk", or not known."""

    columns: tuple[str, ...] = ()
    form: str = ""

    def write(self, folder: Path) -> None:
        """For the next attempt."""
        (folder / FILE).write_text(json.dumps(dataclasses.asdict(self)), "utf-8")


def learnt(folder: Path) -> Learnt:
    """What the attempts before have shown."""
    try:
        content = json.loads((folder / FILE).read_text("utf-8"))
    except (OSError, ValueError):
        return Learnt()
    return Learnt(tuple(content["columns"]), content["form"])


def learning(events: Iterable[Mapping[str, Any]], before: Learnt) -> Learnt:
    """What is learnt from the events of an attempt; the same as `before` if that is nothing."""
    events = list(events)
    made = [event for event in events if event["kind"] == "data" and event["origin"] == "made"]
    there = {*before.columns, *(column for event in made for column in event["columns"])}
    for event in reversed(events if made else []):
        if event["kind"] == "failed":
            message = f"{event['type']}: {event['message']}"
            if lacking := next((name for name in _named(message) if name not in there), ""):
                return dataclasses.replace(before, columns=(*before.columns, lacking))
            form = "text" if AS_TEXT.search(message) else "talk" if AS_TALK.search(message) else ""
            if form and not before.form:
                return dataclasses.replace(before, form=form)
    return before


def _named(message: str) -> list[str]:
    """The columns that an error says are not there."""
    match, wanted = LACKING.search(message), WANTED.search(message)
    names = [part for part in match.groups() if part] if match else []
    return names + (QUOTED.findall(wanted[1] or wanted[2]) if wanted else [])
