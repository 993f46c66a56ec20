"""Values of a run file as TRL's own parser reads them."""

from __future__ import annotations

from typing import Any

YES, NO = ("true", "t", "yes", "y", "1", "on"), ("false", "f", "no", "n", "0", "off")
"""The words that TRL's command line takes for a boolean."""


def typed(value: Any, kind: str) -> Any:
    """A text as the number to which TRL's parser converts it: YAML 1.1 reads `1e-6` as a text."""
    if not isinstance(value, str) or "str" in kind or "dict" in kind:
        return value
    if "bool" in kind and value.strip().lower() in (*YES, *NO):
        return value.strip().lower() in YES
    for number in (int, float):
        if number.__name__ in kind:
            try:
                return number(value)
            except ValueError:
                continue
    return value
