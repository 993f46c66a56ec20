"""What nothing in a script reads: its settings, with their values, and what it makes to train."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from trl_doctor.core.finding import Place, pointer
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.run_script import Unread
from trl_doctor.facts.script.values import json_of
from trl_doctor.files.source.idle import idle
from trl_doctor.files.source.places import Places
from trl_doctor.files.source.reading import Reading
from trl_doctor.files.source.unread import unread
from trl_doctor.files.source.unread_keys import unread_keys
from trl_doctor.files.source.values import Span


def unread_settings(reading: Reading, places: Places) -> Iterator[Unread]:
    """Those whose values are known."""
    for setting in unread(reading):
        with suppress(Unavailable):
            value = json_of(reading.state, setting.name, setting.value)
            at = pointer(setting.name)
            place = Place(setting.file, at) if setting.file else places.place("", setting.span)
            yield Unread(setting.name, value, place, setting.stated, setting.derived)
    for key in unread_keys(reading.trees) if not reading.incomplete else ():
        yield Unread(key.name, key.value, places.place("", key.span), stated=False)


def idle_parts(reading: Reading) -> Iterator[tuple[str, Span]]:
    """The words for each part that the script makes for its training and never uses."""
    for part in idle(reading):
        made = f"{part.what} {part.name}" if part.what in ("function", "class") else (
            f"{part.name}, which {part.what}(…) makes" + " and the script only prints" * part.shown
        )  # fmt: skip
        yield made, part.span
