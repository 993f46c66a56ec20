"""Whether a pipe hides from the launch file that the training failed."""

from __future__ import annotations

import re
from pathlib import Path

from msgspec import Struct

from trl_doctor.core.finding import Place
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.launch.launch_line import own_text, place_on_line
from trl_doctor.files.regular import text_of

TEE = re.compile(r"\|&?\s*tee\b")
SEES = re.compile(r"pipefail|PIPESTATUS|pipestatus|shell:\s*bash\b")
"""What makes the shell look at the first command of a pipe."""

STOPS = re.compile(
    r"^\s*set\s+(?:-[a-df-z]*e|-o\s+errexit)|^#!\S*(?:sh|bash)\s+-\w*e", re.MULTILINE
)
"""What says that the script is to stop at a failure."""

JUDGED = ("a Slurm script", "a Makefile", "a justfile", "a GitHub workflow")
"""Files whose own end is read by a program."""

IDLE = re.compile(
    r"\s*(?:#|echo\b|date\b|wait\b|exit\s*$|fi\b|done\b|$|\}|esac\b|conda deactivate)"
)
"""Lines that do nothing with the model."""


class Hidden(Struct, frozen=True):
    """The place of the command, and the line below it that runs nevertheless; 0 for none."""

    place: Place
    runs: int


def hidden_failure(facts: Facts) -> Hidden | None:
    """Raises `NotConcerned` where nothing looks at the end of the training's command."""
    target = facts.run.target
    launch = target.launch
    if launch is None or target.launched_by is None or launch.cell:
        raise NotConcerned("no launch file starts this run")
    try:
        text = text_of(Path(launch.file), "replace") if launch.file else own_text(target) or ""
    except OSError:
        text = ""
    stops = STOPS.search(text) is not None
    if not stops and not target.taken_for.startswith(JUDGED):
        raise NotConcerned("nothing looks at the end of the training's command")
    lines = text.splitlines()
    end = launch.line - 1
    while end < len(lines) and lines[end].rstrip().endswith("\\"):
        end += 1
    command = "\n".join(lines[launch.line - 1 : end + 1])
    if not TEE.search(command) or SEES.search(text) or command.lstrip().startswith("#"):
        return None
    below = (
        number for number, line in enumerate(lines[end + 1 :], end + 2) if not IDLE.match(line)
    )
    runs = next(below, 0) if stops and not target.taken_for.startswith(JUDGED[1:]) else 0
    return Hidden(place_on_line(target, launch.line, launch.column), runs)
