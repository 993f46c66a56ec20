"""What to do where an object of an error's line is None, too short, or of another kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def objects(facts: Mapping[str, Any]) -> tuple[str, tuple[str, ...]]:
    """The remedy, and what was seen of the objects in the line; both empty if nothing was."""
    if name := facts.get("nothing"):
        return f"{name} is None here: give it a value before this line", (f"{name} is None",)
    if holds := facts.get("holds"):
        return f"write {facts['item']}" if facts.get("item") else "", (holds,)
    if wants := facts.get("wants"):
        return "give the arguments that are missing", (f"it takes {', '.join(wants)}",)
    if sizes := facts.get("sizes"):
        return "", tuple(sizes)
    return "", ()
