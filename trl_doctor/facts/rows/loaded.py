"""The first rows of a Parquet or Arrow file, which the real libraries read."""

from __future__ import annotations

from pathlib import Path

from trl_doctor.core.finding import Json
from trl_doctor.core.question import Question
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.facts import Facts

ENDINGS = (".parquet", ".arrow")


def loaded_rows(facts: Facts, file: Path, most: int) -> list[dict[str, Json]]:
    """At most so many rows; raises `Unavailable` where no library may be used."""
    from trl_doctor.probes.answers.first_rows import FirstRows

    label = f"the rows of {file.name}"
    request: dict[str, Json] = {
        "file": str(file),
        "written": file.stat().st_mtime_ns,
        "most": most,
    }
    try:
        answer = facts.probes.ask(Question("first_rows", label, request, FirstRows, ("pyarrow",)))
    except Unavailable as reason:
        raise Unavailable(f"{label} were not read: {reason}") from reason
    return [dict(row) for row in answer.measured().rows]
