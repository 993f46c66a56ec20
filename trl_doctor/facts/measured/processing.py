"""What a trainer gets to read texts and images with."""

from __future__ import annotations

from trl_doctor.facts.facts import Facts
from trl_doctor.facts.measured.rehearsal import rehearsed
from trl_doctor.facts.script.passed import passed
from trl_doctor.files.source.values import Value


def processing_given(facts: Facts) -> Value | None:
    """The `processing_class` of a trainer; None if it gets none, and loads the model's own.

    Raises `NotConcerned` in a rehearsal, so that its source is examined.
    """
    values = passed(facts) if rehearsed(facts) else facts.run.script.passed
    return values.given("processing_class") if values else None
