"""Texts in run files that another program replaces before the job starts."""

from __future__ import annotations

from trl_doctor.core.finding import Json


def is_placeholder(value: Json) -> bool:
    """Whether a shell or a workflow puts something else in place of the text: `${X}`, `{{ x }}`."""
    return isinstance(value, str) and ("${" in value or "{{" in value)
