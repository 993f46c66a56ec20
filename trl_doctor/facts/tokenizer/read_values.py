"""Values of tokenizer files as the types that they must be; else `Unloadable`, with the place."""

from __future__ import annotations

from typing import Any

import msgspec

from trl_doctor.core.finding import Json
from trl_doctor.facts.tokenizer.chosen import Unloadable
from trl_doctor.facts.tokenizer.vocabulary import AddedToken


def added_token(value: Json, where: str) -> AddedToken:
    """The token that an object describes."""
    fields = {**mapping_of(value, where)}
    fields.setdefault("normalized", not fields.get("special"))
    try:
        return msgspec.convert(fields, AddedToken)
    except (msgspec.ValidationError, UnicodeEncodeError) as error:
        raise Unloadable(f"{where} is no token: {error}") from None


def mapping_of(value: Json, where: str) -> dict[str, Json]:
    if not isinstance(value, dict):
        raise Unloadable(f"{where} is no object")
    return value


def list_of(value: Any, where: str) -> list[Any]:
    """The list; an empty one for null or a missing value."""
    if value is not None and not isinstance(value, list):
        raise Unloadable(f"{where} is no list")
    return value or []


def token_id(value: Json) -> int:
    try:
        return int(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        raise Unloadable(f"an added token has the id {value!r:.40}") from None
