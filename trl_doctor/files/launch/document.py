"""A run file with the keys of a command line on top of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import field

from trl_doctor.core.finding import Place, Put, Remove, route
from trl_doctor.files.document import Document
from trl_doctor.files.launch.shell.lines import Lines


class RunFileOfLine(Document, frozen=True, eq=False):
    """`value` has the keys of the command line over those of the file; `places` are their places.

    `alone` says that there is no run file: the path is then that of the launch file. `more` is the
    reason why the command line may have further options, "" if it has none. `within` are the
    lines of the launch file if it contains the run file itself.
    """

    places: Mapping[str, Place] = field(default_factory=dict)
    main: Place | None = None
    alone: bool = False
    within: Lines | None = None
    more: str = ""

    def place(self, pointer: str) -> Place:
        """The place of an option of the command line, else of a value in the file."""
        keys = route(pointer)
        if keys and keys[0] in self.places:
            return self.places[keys[0]]
        if self.within and keys and isinstance(self.value, dict) and keys[0] in self.value:
            at = self.position(pointer)
            return Place(self.path, pointer, self.within.at(at.line, at.column))
        if self.alone or not keys:
            return self.main or super().place(pointer)
        return super().place(pointer)

    def notes(self) -> tuple[str, ...]:
        """That there may be further options."""
        more = f"further options of the command line are not known: {self.more}"
        return (more,) if self.more else ()

    def refuses(self, edits: Sequence[Put | Remove]) -> str:
        """The keys of a command line cannot be edited."""
        keys = {key for edit in edits for key in route(edit.pointer)[:1]}
        stated = (edits and self.alone) or keys & set(self.places)
        return "it is set on the command line" if stated else ""

    def refuses_inside(self, edits: Sequence[Put | Remove]) -> str:
        """A run file that the launch file contains cannot be edited; "" for keys of the line."""
        keys = {key for edit in edits for key in route(edit.pointer)[:1]}
        inside = self.within and edits and not keys & set(self.places)
        return "the run file is a text inside of the launch file" if inside else ""
