"""The beginning of a long text, like `trl_doctor.core.plain.excerpt`, which no probe can import."""

from __future__ import annotations


def excerpt(text: str, most: int = 60) -> str:
    """The text; of one with more than `most` characters the first words and "…"."""
    if len(text) <= most:
        return text
    at = max(text.rfind(space, most // 2, most - 1) for space in " \n\t")
    return f"{text[: at if at > 0 else most - 2].rstrip()} …"
