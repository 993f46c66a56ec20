"""A value of a YAML text, and its place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from msgspec import Struct

from trl_doctor.core.finding import Json
from trl_doctor.files.formats.text import list_index

Form: TypeAlias = Literal["plain", "'", '"', "|", ">", "flow", "block", "pair", "alias"]


class Part(Struct, frozen=True, eq=False):
    """A value and its place, as indices into the text without a byte order mark.

    `start` is the start of its key (of the item itself, if it has no key), `value` the start of
    the value with its tag or anchor, `end` the index after it: the comment and the line end
    after it do not belong to it. `parts` are a mapping's members (`<<` has no key here) or a
    list's items in the order of the text, `merged` the members that `<<` brings in; the
    last of equal keys counts, and members win over merged ones. `shared` says that it is or
    contains an anchor or an alias.
    """

    key: str | None
    start: int
    value: int
    end: int
    content: Json
    form: Form
    parts: tuple[Part, ...] = ()
    merged: tuple[Part, ...] = ()
    shared: bool = False
    raw: str = ""

    def child(self, key: str) -> Part | None:
        """The member or item that a pointer's key names."""
        if isinstance(self.content, dict):
            return next(
                (member for member in reversed(self.merged + self.parts) if member.key == key), None
            )
        index = list_index(key)
        return None if index is None else next(iter(self.parts[index : index + 1]), None)

    def locate(self, route: Sequence[str]) -> Part:
        """The part at a route, or the last part of the route that exists."""
        part = self
        for key in route:
            inner = part.child(key)
            if inner is None:
                break
            part = inner
        return part
