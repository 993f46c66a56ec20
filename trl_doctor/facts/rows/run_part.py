"""The rows that a script makes, where its lines cannot be followed: they are run alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from trl_doctor.core.finding import Json, Place
from trl_doctor.core.question import Answer, Question, Raised
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.library.imports import imported, imports
from trl_doctor.facts.rows.followed import MOST
from trl_doctor.facts.script.alone import Alone, alone

if TYPE_CHECKING:
    from trl_doctor.probes.answers.script_rows import ScriptRows

LIBRARIES = ("torch/", "transformers/", "trl/", "peft/", "accelerate/")
"""An error in these may be one of this machine, as a missing GPU."""

OF_PLACE = frozenset({"ImportError", "ModuleNotFoundError", "NameError", "FileNotFoundError",
                      "OSError", "PermissionError", "ConnectionError", "NotADirectoryError",
                      "RuntimeError", "LocalEntryNotFoundError", "OfflineModeIsEnabled",
                      "DatasetNotFoundError", "EOFError", "OperationalError"})  # fmt: skip
"""Errors of what is not here, or was left out."""


class LinesRaise(Struct, frozen=True):
    """An error of the lines that make the rows: its line in the script, and the function there."""

    raised: Raised
    place: Place
    function: str


def part(facts: Facts) -> Alone:
    """The statements that make the rows; raises `Unavailable` if they cannot be run alone."""
    return alone(facts, "train_dataset")


def run_part(facts: Facts) -> Answer[ScriptRows]:
    """The answer of the probe that runs these statements; raises as `part` does."""
    _ = facts.probes.conditions  # raises where nothing can be asked, before the script is cut
    found = facts[part]
    facts[imported]
    from trl_doctor.probes.answers.script_rows import ScriptRows

    request: dict[str, Json] = {
        "script": found.request(),
        "roots": [str(root) for root in facts.run.roots],
        "most": MOST,
    }
    label = "the rows that the script makes"
    return facts.probes.ask(Question("script_rows", label, request, ScriptRows, imports(facts)))


def lines_raise(facts: Facts) -> LinesRaise | None:
    """The error of these statements, which the job meets, too; None if they raise none.

    Raises `Unavailable` if they ended in another way, or the error may be one of this machine.
    """
    answer, found = facts[run_part], facts[part]
    raised = answer.raised
    if raised is None:
        answer.measured()
        return None
    frames = [frame for frame in raised.frames if frame[0].endswith(found.file.name)]
    if not frames or found.part.caught or _is_of_place(raised, frames[-1][3]):
        raise Unavailable(f"{answer.question.label}: {raised.line}")
    _, line, function, _ = frames[-1]
    return LinesRaise(raised, found.place(line), function)


def _is_of_place(raised: Raised, source: str) -> bool:
    """Whether an error may be one of this machine, of what was left out, or of how it is started.

    A variable of the environment or a word of the command line may lack here. `source` is the line
    of the script.
    """
    innermost = raised.frames[-1][0]
    starts = innermost.endswith(("/os.py", "<frozen os>")) or "argv" in source
    of_library = innermost.rpartition("site-packages/")[2].startswith(LIBRARIES)
    return raised.type in OF_PLACE or starts or of_library
