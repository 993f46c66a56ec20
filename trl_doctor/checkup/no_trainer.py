"""Why a script or notebook is no run: it creates no trainer of TRL."""

from __future__ import annotations

from trl_doctor.facts.script import trainers
from trl_doctor.files.source.notebooks.started import elsewhere
from trl_doctor.files.source.reading import Reading
from trl_doctor.files.source.state import State


def no_trainer(reading: Reading) -> str:
    """A sentence that says what it does instead, and what to name."""
    if reading.incomplete:
        return reading.incomplete
    classes = [f"{made.of} ({reading.state.place(made.span)})" for made in trainers.others(reading)]
    if classes:
        return f"it creates no trainer of TRL, but {', '.join(classes[:3])}"
    if unreached := reading.unreached():
        return f"it creates no trainer of TRL: {unreached} is never reached{_why(reading.state)}"
    if line := elsewhere(reading.state.pieces):
        return f"it creates no trainer of TRL: {line}"
    return "it creates no trainer of TRL: name the script that calls GRPOTrainer, SFTTrainer, …"


def _why(state: State) -> str:
    """The error that ends the script before, where it surely does."""
    if state.raised is None:
        return ""
    error, span = state.raised
    given = ": give the command line after --" if state.parses and state.argv is None else ""
    return f": {state.place(span)} raises {error}{given}"
