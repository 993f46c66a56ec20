"""A script or notebook as a document: values under pointers, their places, and edits of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from trl_doctor.core.finding import Json, Place, Put, Remove, route
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.files.document import Document
from trl_doctor.files.edit import same_value
from trl_doctor.files.formats.text import CannotEdit, Position
from trl_doctor.files.source import splice
from trl_doctor.files.source.notebooks.cells import with_cell
from trl_doctor.files.source.places import Places
from trl_doctor.files.source.text import Piece
from trl_doctor.files.source.values import (
    LibraryObject,
    Many,
    NamedValue,
    Plain,
    Span,
    Table,
    Value,
)


class Script(Document, frozen=True, eq=False, dict=True):
    """A script whose `value` are the arguments of the trainer that it makes.

    `held` are the values of the script behind the pointers of one key, `options` the places of
    those that a launch file gives it. `config` is the call that takes the trainer's arguments,
    `main` where the trainer is made, `created` what its class gets by name. `again` reads other
    bytes of the same file in the same way.
    """

    places: Places = None  # type: ignore[assignment]
    held: Mapping[str, NamedValue] = {}
    options: Mapping[str, Place] = {}
    config: LibraryObject | None = None
    main: Span | None = None
    created: Mapping[str, NamedValue] = {}
    takes: frozenset[str] = frozenset()
    again: Callable[[bytes], Script] | None = None

    def mapping(self) -> dict[str, Json]:
        """The arguments of the trainer."""
        assert isinstance(self.value, dict)
        return self.value

    def place(self, at: str) -> Place:
        """The place of an argument: its keyword, or the call that lacks it."""
        keys = route(at)
        entry = self.held.get(keys[0]) if keys else None
        if entry is None:
            return self.places.place(at, self.config.span if self.config and keys else self.main)
        if entry.file is not None:
            return Place(entry.file, at)
        given = entry.value.option if isinstance(entry.value, Plain) else ""
        if at_option := self._option(entry.option) or self._option(given):
            return at_option
        for key in keys[1:]:
            inner = _inner(entry.value, key)
            if inner is None:
                break
            entry = inner
        return self.places.place(at, entry.whole or entry.name or _span(entry.value) or self.main)

    def _option(self, name: str) -> Place | None:
        """Where an option is, or `config/KEY` in a file that the launch file contains."""
        places = self.options
        return (places.get(name) or places.get(name.partition("/")[0])) if name else None

    def position(self, pointer: str) -> Position:
        """Line and column of a place."""
        spot = self.place(pointer).spot
        return Position(spot.line, spot.column) if spot else Position(1, 1)

    value_position = position

    def holds(self, file: Path) -> bool:
        """Whether it is the script, or the file that its --config names."""
        return file == self.path or any(entry.file == file for entry in self.held.values())

    def on_line(self, edits: Sequence[Put | Remove]) -> bool:
        """Whether edits are of options of the line that starts the script."""
        keys = [route(edit.pointer)[0] for edit in edits if edit.pointer]
        given = {key for key, entry in self.held.items() if entry.option}
        return any(key in given or (key in self.options and key not in self.held) for key in keys)

    def refuses(self, edits: Sequence[Put | Remove]) -> str:
        """Why these edits cannot be made here; "" if they can."""
        for edit in edits:
            entry = self.held.get(route(edit.pointer)[0]) if edit.pointer else None
            if entry is not None and entry.file is not None:
                return f"the script takes it from {entry.file.name}"
            if entry is not None and entry.option:
                return "it is set on the command line"
        try:
            self.edited(edits)
        except CannotEdit as reason:
            return str(reason)
        return ""

    def edited(self, edits: Sequence[Put | Remove]) -> bytes:
        """The bytes with the edits made, all else untouched; raises `CannotEdit`."""
        here: Script = self
        edits = list(edits)
        if (renamed := here._renamed(edits)) is not None:
            here, edits = renamed, []
        for edit in edits:
            changed = here._edited(edit)
            if changed is None:
                continue
            assert here.again is not None
            try:
                after = here.again(changed)
            except Unavailable as reason:
                raise CannotEdit(str(reason)) from None
            _verify(here, after, edit)
            here = after
        return here.data

    def _renamed(self, edits: list[Put | Remove]) -> Script | None:
        """The script with one keyword under another name; None if the edits are not that."""
        if len(edits) != 2 or not isinstance(edits[0], Put) or not isinstance(edits[1], Remove):
            return None
        new, old = route(edits[0].pointer), route(edits[1].pointer)
        entry = self.held.get(old[0]) if len(old) == len(new) == 1 else None
        if entry is None and len(old) == len(new) == 1 and old[0] in self.created:
            return self._of_class(self.created[old[0]], new[0])
        if entry is None or entry.name is None or new[0] in self.held or not self.again:
            return None
        assert isinstance(self.value, dict)
        if not same_value(dict.get(self.value, old[0]), edits[0].value):
            return None
        self._editable(entry)
        name = new[0]
        after = self.again(self._spliced(entry.name, lambda _: name))
        others = {k: v for k, v in dict.items(self.mapping()) if k != old[0]}
        if not same_value({**others, name: edits[0].value}, dict(dict.items(after.mapping()))):
            raise CannotEdit("it would change more than that in the script")
        return after

    def _of_class(self, entry: NamedValue, new: str) -> Script:
        """The script with a keyword of the trainer's class under another name."""
        if entry.name is None or entry.perhaps or new in self.created or not self.again:
            raise CannotEdit("it is no keyword of the call that makes the trainer")
        after = self.again(self._spliced(entry.name, lambda _: new))
        if not same_value(dict(dict.items(self.mapping())), dict(dict.items(after.mapping()))):
            raise CannotEdit("it would change more than that in the script")
        return after

    def _editable(self, argument: NamedValue) -> None:
        """Raises `CannotEdit` if a value is not given as a keyword of the config's call."""
        if argument.name is None or argument.whole is None or self.config is None:
            raise CannotEdit("it is no keyword of a call in the script")
        if not _within(argument.whole, self.config.span):
            raise CannotEdit("it is written elsewhere in the script")

    def _edited(self, edit: Put | Remove) -> bytes | None:
        keys = route(edit.pointer)
        if not keys:
            raise CannotEdit("a script is not edited as a whole")
        entry = self.held.get(keys[0])
        for key in keys[1:]:
            entry = _inner(entry.value, key) if entry else None
        if isinstance(edit, Remove):
            return self._removed(entry) if entry else None
        text = splice.literal(edit.value)
        if entry is not None:
            return self._replaced(entry, text, edit.value)
        if len(keys) > 1 or self.config is None or keys[0] not in self.takes:
            raise CannotEdit(f"the script has no place for {'.'.join(keys)}")
        if self.config.parsed:
            raise CannotEdit(f"the script takes {keys[0]} from its command line or --config")
        return self._spliced(self.config.span, lambda t: splice.with_keyword(t, keys[0], text))

    def _replaced(self, argument: NamedValue, text: str, value: Json) -> bytes | None:
        plain = argument.value
        if not isinstance(plain, Plain | Many | Table) or not plain.literal or plain.span is None:
            raise CannotEdit("the value is not written in the script")
        if argument.whole is None or not _within(plain.span, argument.whole):
            raise CannotEdit("its value is written elsewhere in the script")
        return self._spliced(plain.span, lambda _: text)

    def _removed(self, argument: NamedValue) -> bytes:
        self._editable(argument)
        assert argument.whole is not None and self.config is not None
        inner = self._piece(argument.whole)
        start = inner.slice(self.config.span)[0]
        cut = tuple(offset - start for offset in inner.slice(argument.whole))
        return self._spliced(self.config.span, lambda text: splice.without(text, (cut[0], cut[1])))

    def _piece(self, span: Span) -> Piece:
        piece = self.places.pieces[span.source]
        if piece.path != self.path:
            raise CannotEdit(f"it is written in {piece.path.name}")
        return piece

    def _spliced(self, span: Span, change: Callable[[str], str]) -> bytes:
        """The bytes of the file with the text of a span changed."""
        piece = self._piece(span)
        start, end = piece.slice(span)
        after = piece.text[:start] + change(piece.text[start:end]) + piece.text[end:]
        if piece.cell is None:
            mark = b"\xef\xbb\xbf" if self.data.startswith(b"\xef\xbb\xbf") else b""
            return mark + after.encode()
        return with_cell(self.data, self.path, piece, after)


def _verify(before: Script, after: Script, edit: Put | Remove) -> None:
    """Raises `CannotEdit` if more than the edit changed."""
    key = route(edit.pointer)[0]
    old, other = before.value, after.value
    assert isinstance(old, dict) and isinstance(other, dict)
    others = {k: v for k, v in dict.items(old) if k != key}
    then = {k: v for k, v in dict.items(other) if k != key}
    if not same_value(others, then):
        raise CannotEdit("it would change more than that in the script")
    whole = isinstance(edit, Put) and len(route(edit.pointer)) == 1
    if isinstance(edit, Put) and whole and not same_value(dict.get(other, key), edit.value):
        raise CannotEdit("the script would not hold that value then")


def _inner(value: Value, key: str) -> NamedValue | None:
    if isinstance(value, Table):
        return value.entries.get(key)
    if isinstance(value, Many) and key.isdigit() and int(key) < len(value.items):
        item = value.items[int(key)]
        return NamedValue(item, None, _span(item))
    if isinstance(value, LibraryObject):
        return value.attributes.get(key) or value.keywords.get(key)
    return None


def _span(value: Value) -> Span | None:
    return getattr(value, "span", None)


def _within(inner: Span, outer: Span) -> bool:
    start = (inner.line, inner.column) >= (outer.line, outer.column)
    end = (inner.end_line, inner.end_column) <= (outer.end_line, outer.end_column)
    return inner.source == outer.source and start and end
