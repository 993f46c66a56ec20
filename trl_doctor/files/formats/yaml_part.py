"""A value of a YAML text, and where it stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from trl_doctor.core.finding import Json
from trl_doctor.files.formats.text import list_index

Form: TypeAlias = Literal["plain", "'", '"', "|", ">", "flow", "block", "pair", "alias"]


@dataclass(frozen=True, eq=False, slots=True)
class Part:
    """A value and where it stands, as indices into the text (a byte order mark not counted).

    `start` is where its key stands (an item's own start; it has no key), `value` where the
    value starts with its tag or anchor, `end` just behind it: the comment and the line end
    after it are not part of it. `parts` are a mapping's members (`<<` has no key here) or a
    list's items as they stand in the text, `merged` the members that `<<` brings in; the
    last of equal keys counts, and members win over merged ones. `shared` says that it has or
    holds an anchor or an alias.
    """

    key: str | None
    start: int
    value: int
    end: int
    held: Json
    form: Form
    parts: tuple[Part, ...] = ()
    merged: tuple[Part, ...] = ()
    shared: bool = False
    raw: str = field(default="", repr=False)

    def child(self, key: str) -> Part | None:
        """The member or item that a pointer's key names."""
        if isinstance(self.held, dict):
            return next((one for one in reversed(self.merged + self.parts) if one.key == key), None)
        index = list_index(key)
        return None if index is None else next(iter(self.parts[index : index + 1]), None)

    def locate(self, route: Sequence[str]) -> Part:
        """The part that a route leads to, as far as the route exists."""
        here = self
        for key in route:
            inner = here.child(key)
            if inner is None:
                break
            here = inner
        return here
