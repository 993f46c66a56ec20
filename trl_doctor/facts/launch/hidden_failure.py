"""Whether a pipe hides from the launch file that the training failed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from trl_doctor.core.finding import Place
from trl_doctor.core.unavailable import NotConcerned, Unavailable
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

TARGET = re.compile(r"([\w./-]+)\s*:(?![:=])([^#=]*)$")
"""A rule of a Makefile: its target, and what it needs."""

ENDS = re.compile(r"\bset\s+-\w*e|errexit|^-\w*e\w*c$|\$\?|\|\||&&")
"""What makes the shell of a text look at each command."""

USES = re.compile(r"\b(?:upload|push|rsync|cp|sync|publish|deploy|eval\w*|merge\w*|convert\w*)\b")
"""What takes the model of a run further."""

LONG = 4
"""Characters of a folder's name that is looked for in a text."""

OTHER_BRANCH = re.compile(r"\s*(?:else|elif)\b|\s*;;|.*;;\s*$")
OPENS, CLOSES = re.compile(r"\s*(?:if|case)\b"), re.compile(r"\s*(?:fi|esac)\b")


class Hidden(Struct, frozen=True):
    """The place of the command, and the line below it that runs nevertheless; 0 for none.

    `by` is what hides the failure.
    """

    place: Place
    runs: int
    by: str = "| tee"


def hidden_failure(facts: Facts) -> Hidden | None:
    """Raises `NotConcerned` where nothing looks at the end of the training's command."""
    target = facts.run.target
    launch = target.launch
    if launch is None or target.launched_by is None or launch.cell:
        raise NotConcerned("no launch file starts this run")
    text = own_text(target) or ""
    lines = text.split("\n")
    if number := _after_semicolon(facts, lines):
        return Hidden(place_of_line(target), number, ";")
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
    if target.taken_for.startswith(MAKEFILE):
        runs = _dependent(lines, launch.line)
    return Hidden(place_of_line(target), runs)


def _dependent(lines: Sequence[str], line: int) -> int:
    """The first line of a recipe of a Makefile that needs the target of a line; 0 for none."""
    own = next((match[1] for text in reversed(lines[:line]) if (match := TARGET.match(text))), "")
    for number, text in enumerate(lines[:-1], 1):
        match = TARGET.match(text)
        recipe = lines[number].startswith("\t") and number + 1 != line
        if match and own and own in match[2].split("|")[0].split() and recipe:
            return number + 1
    return 0


def _after_semicolon(facts: Facts, lines: Sequence[str]) -> int:
    """The line that uses the run's output behind a `;` of a `bash -c`; 0 for none."""
    launch = facts.run.target.launch
    around = [word.text for word in launch.around] if launch else []
    shells = [text for text in around if "\n" in text or ";" in text]
    if launch is None or not shells or any(map(ENDS.search, around)):
        return 0
    try:
        output = facts.run.arguments.get("output_dir")
    except Unavailable:
        return 0
    if not isinstance(output, str) or len(output) < LONG:
        return 0
    end = end_of_command(lines, launch.line)
    _, semicolon, rest = (
        " ".join(lines[launch.line - 1 : end]).partition(launch.script)[2].partition(";")
    )
    behind = [rest, *lines[end : end + 1]] if semicolon and not rest.strip(" '\"") else [rest]
    used = semicolon and any(output in text and USES.search(text) for text in behind)
    return end + (output not in rest) if used else 0


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
