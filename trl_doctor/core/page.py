"""A rule's page: its docstring, read as title, reason and named paragraphs."""

from __future__ import annotations

from functools import lru_cache

from msgspec import Struct

SECTIONS = ("Remedy", "Versions", "Seen")


class Page(Struct, frozen=True):
    """`title` is the first line; `why` the paragraphs without a name; the others by their names.

    A named paragraph begins with "Remedy: ", "Versions: " or "Seen: ". Paragraphs are joined
    lines, separated by a blank line where a part has several.
    """

    title: str
    why: str
    remedy: str
    versions: str
    seen: str


@lru_cache(maxsize=1024)
def page(doc: str) -> Page:
    """Read a rule's docstring."""
    lines = doc.strip().split("\n\n")
    title, paragraphs = lines[0].strip(), [" ".join(paragraph_.split()) for paragraph_ in lines[1:]]
    by_section: dict[str, list[str]] = {"Why": [], **{name: [] for name in SECTIONS}}
    current = "Why"
    for paragraph in paragraphs:
        head, separator, body = paragraph.partition(": ")
        if separator and head in SECTIONS:
            current, paragraph = head, body
        by_section[current].append(paragraph)
    joined = {name: "\n\n".join(texts) for name, texts in by_section.items()}
    return Page(title, joined["Why"], joined["Remedy"], joined["Versions"], joined["Seen"])
