"""The models of a run and the trainers of a script, as reports show them."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from trl_doctor.core.finding import Severity


class ModelShown(Struct, frozen=True):
    """A model of the run: as it is named, and the folder that was read."""

    name: str
    folder: str | None


class StageShown(Struct, frozen=True):
    """One of several trainers of a script: its class and line in words, and what became of it."""

    name: str
    trainer: str | None
    verdict: str
    counts: Mapping[Severity, int]
    models: Mapping[str, ModelShown]
