"""A step on made rows, if it is not known whether the run's own have images."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from ..child import line
from ..refusal import Refused
from . import pictures

T = TypeVar("T")


def either(request: dict[str, Any], step: Callable[[dict[str, Any]], T]) -> T:
    """What a step gives. Raises `Refused` if images decide what made rows raise.

    They decide if the rows with made images raise another error than texts alone, or none.
    """
    try:
        return step(request)
    except Refused:
        raise
    except Exception as error:
        pictured = pictures.made_here()
        if not pictured and not _perhaps(request):
            raise
        data = {**request["data"], "conversational": True}
        other = {"text_only": True} if pictured else {"data": data}
        second = _raised({**request, **other}, step)
        if second is not None and line(second) == line(error):
            raise
        first, then = ("made images", "texts alone")[:: 1 if pictured else -1]
        does = "does not" if second is None else f"raises {line(second)}"
        raise Refused(
            f"whether the run's rows have images is not known: with {first} it raises "
            f"{line(error)}, with {then} it {does}"
        ) from error


def _perhaps(request: dict[str, Any]) -> bool:
    """Whether the rows are not known and made of texts alone, and the policy sees images."""
    data = request["data"]
    has_texts = bool(data["files"]) or data["conversational"]
    return not has_texts and pictures.sees(request["folders"].get("policy"))


def _raised(request: dict[str, Any], step: Callable[[dict[str, Any]], T]) -> Exception | None:
    """What a step raises, in a working folder without images that were made before."""
    pictures.cleared()
    try:
        step(request)
    except Refused:
        raise
    except Exception as error:
        return error
    return None
