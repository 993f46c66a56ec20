"""Why a script or notebook is no run: it creates no trainer of TRL."""

from __future__ import annotations

from trl_doctor.facts.script import trainers
from trl_doctor.files.source.notebooks.started import elsewhere
from trl_doctor.files.source.reading import Reading


def no_trainer(reading: Reading) -> str:
    """A sentence that says what it does instead, and what to name."""
    if reading.incomplete:
        return reading.incomplete
    classes = [f"{made.of} ({reading.state.place(made.span)})" for made in trainers.others(reading)]
    if classes:
        return f"it creates no trainer of TRL, but {', '.join(classes[:3])}"
    if unreached := reading.unreached():
        return f"it creates no trainer of TRL: {unreached} is never reached"
    if line := elsewhere(reading.state.pieces):
        return f"it creates no trainer of TRL: {line}"
    return "it creates no trainer of TRL: name the script that calls GRPOTrainer, SFTTrainer, …"
