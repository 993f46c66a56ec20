"""Where an argument has its name: an option of a launch line may give its value alone."""

from __future__ import annotations

from trl_doctor.core.finding import Place, pointer
from trl_doctor.facts.run import Run
from trl_doctor.files.source.document import Script


def place_of_name(run: Run, key: str) -> Place:
    """The keyword in the script, whose own parser reads the option; else the argument's place."""
    file = run.file
    entry = file.held.get(key) if isinstance(file, Script) else None
    if entry is None or entry.name is None or entry.file is not None or entry.option:
        return run.place(key)
    assert isinstance(file, Script)
    return file.places.place(pointer(key), entry.whole or entry.name)
