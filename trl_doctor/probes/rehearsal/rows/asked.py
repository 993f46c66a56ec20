"""What is known of a data set that the script has asked for, and of an error in loading it."""

from __future__ import annotations

from typing import Any


def columns_of(data: Any) -> Any:
    names = getattr(data, "column_names", None)
    return (
        sorted({column for part in names.values() for column in part or ()})
        if isinstance(names, dict)
        else names
    )


def is_remote(error: BaseException) -> bool:
    """Whether an error says that something would have to come from elsewhere."""
    message = f"{type(error).__name__}: {error}"
    words = ("offline", "Offline", "Hub", "ConnectionError", "couldn't be found", "Couldn't reach")
    return any(word in message for word in words)
