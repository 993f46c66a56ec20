"""Whether a pipe hides from the launch file that the training failed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from trl_doctor.core.finding import Place
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.launch.launch_line import (
    READS_OTHERS,
    end_of_command,
    own_text,
    place_of_line,
)
from trl_doctor.files.launch.forms import GITHUB, JUSTFILE, MAKEFILE, SLURM

PIECE = r"'[^']*'|\"(?:[^\"\\]|\\.)*\"|\\.|[<>]&|&>|(?<=\S)#|[^;&|#'\"\\\n]|\|(?!\||&?\s*tee\b)"
TEED = re.compile(rf"(?:{PIECE})*\|&?\s*tee\b", re.DOTALL)
"""The rest of a command that goes to `tee`, with what other programs of its pipe do."""

SEES = re.compile(r"pipefail|PIPESTATUS|pipestatus|shell:\s*bash\b")
"""What makes the shell look at the first command of a pipe."""

STOPS = re.compile(r"^\s*set\s+([-+])(?:[A-Za-z]*e|o\s+errexit)|^#!\S*(?:sh|bash)\s+-\w*e", re.M)
"""What says that the script is to stop at a failure; with `+` that it no longer is."""

JUDGED = (SLURM, MAKEFILE, JUSTFILE, GITHUB)
"""Files whose own end is read by a program."""

IDLE = re.compile(
    r"\s*(?:#|echo\b|date\b|wait\b|exit\s*$|fi\b|done\b|$|\}|esac\b|conda deactivate)"
)
"""Lines that do nothing with the model."""

OTHER_BRANCH = re.compile(r"\s*(?:else|elif)\b|\s*;;|.*;;\s*$")
OPENS, CLOSES = re.compile(r"\s*(?:if|case)\b"), re.compile(r"\s*(?:fi|esac)\b")


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
    text = own_text(target) or ""
    lines = text.split("\n")
    begin = sum(len(line) + 1 for line in lines[: launch.line - 1])
    said = [match[1] for match in STOPS.finditer(text, 0, begin)]
    stops = bool(said) and said[-1] != "+"
    if not stops and not target.taken_for.startswith(JUDGED):
        raise NotConcerned("nothing looks at the end of the training's command")
    end = end_of_command(lines, launch.line)
    command = "\n".join(lines[launch.line - 1 : end])
    started = command.find(Path(launch.script).name or f" {launch.command}")
    if not TEED.match(command, max(0, started)) or SEES.search(text) or READS_OTHERS.search(text):
        return None
    if command.lstrip().startswith("#"):
        return None
    below = _following(lines, launch.called or end)
    runs = next(below, 0) if stops and not target.taken_for.startswith(JUDGED[1:]) else 0
    return Hidden(place_of_line(target), runs)


def _following(lines: Sequence[str], start: int) -> Iterator[int]:
    """The lines behind a number of lines that do something, without those of other branches."""
    depth = 0
    for number, line in enumerate(lines[start:], start + 1):
        if depth:
            depth += bool(OPENS.match(line)) - bool(CLOSES.match(line))
        elif OTHER_BRANCH.match(line):
            depth = 1
        elif not IDLE.match(line) and not CLOSES.match(line):
            yield number
