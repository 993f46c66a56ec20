"""A place in a launch file as reports print it: `Makefile:12`, `job.sh:12:5`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from trl_doctor.files.launch.launch import Launch

AT_LINE = re.compile(r"(.+?):(\d{1,9})(?::\d{1,9})?")


class NoTraining(Exception):
    """No training starts at the line; the message names the lines that start one."""


def at_line(word: str) -> tuple[Path, int]:
    """The file of `Makefile:12`, and the line; 0 without one."""
    named = AT_LINE.fullmatch(word)
    if named is None or Path(word).is_file() or not Path(named[1]).is_file():
        return Path(word), 0
    return Path(named[1]), int(named[2])


def of_line(launches: Sequence[Launch], line: int) -> list[Launch]:
    """The trainings of a line: several in a loop. Raises `NoTraining`.

    Of several lines behind backslashes the first one counts.
    """
    numbers = [_line(launch) for launch in launches]
    last = max((number for number in numbers if number <= line), default=0)
    there = [launch for launch in launches if _line(launch) == last and _reaches(launch, line)]
    if not there:
        others = lines(launches)
        do = f": {others} {'do' if ',' in others else 'does'}" if launches else ""
        raise NoTraining(f"line {line} starts no training{do}")
    return there


def lines(launches: Sequence[Launch]) -> str:
    """The lines that start a training, in words."""
    numbers = list(dict.fromkeys(map(_line, launches)))
    return f"line{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))}"


def _line(launch: Launch) -> int:
    """Its line in the file that the user names."""
    return launch.reached if launch.file else launch.line


def _reaches(launch: Launch, line: int) -> bool:
    own = launch.around if launch.file else launch.whole
    return _line(launch) == line or any(word.line >= line for word in own)
