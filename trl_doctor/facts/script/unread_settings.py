"""The settings of a script that nothing in it reads, with their values."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from trl_doctor.core.finding import Place, pointer
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.run import Unread
from trl_doctor.facts.script.values import json_of
from trl_doctor.files.source.places import Places
from trl_doctor.files.source.reading import Reading
from trl_doctor.files.source.unread import unread


def unread_settings(reading: Reading, places: Places) -> Iterator[Unread]:
    """Those whose values are known."""
    for setting in unread(reading):
        with suppress(Unavailable):
            value = json_of(reading.state, setting.name, setting.value)
            at = pointer(setting.name)
            place = Place(setting.file, at) if setting.file else places.place("", setting.span)
            yield Unread(setting.name, value, place, setting.stated)
