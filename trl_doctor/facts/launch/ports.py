"""Trainings that a launch file starts at the same time, and the ports at which they meet."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

from msgspec import Struct

from trl_doctor.core.finding import Place
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.launch.launch_line import end_of_command, own_text, place_of_line
from trl_doctor.facts.launch.nodes import launcher_of
from trl_doctor.files import document
from trl_doctor.files.launch.containers import BACKGROUND, DOCKER
from trl_doctor.files.launch.forms import OF_SHELL
from trl_doctor.files.launch.launch import Launch
from trl_doctor.files.launch.nested import REMOTE
from trl_doctor.files.launch.program import launcher_options
from trl_doctor.files.launch.reading import read_launches
from trl_doctor.files.regular import bytes_of

OVER = re.compile(r"\bwait\b|\bp?kill(?:all)?\b|^\s*(?:else|elif)\b|;;|^\s*\}")
"""A line behind which the command above it has ended, or has not been started."""

USUAL = "29500"
"""The port of accelerate and DeepSpeed if none is given; torchrun then looks for a free one."""

ELSEWHERE = frozenset({"srun", "sbatch", *REMOTE, *DOCKER})
"""What may start a training on another machine, or in a network of its own."""


class SamePort(Struct, frozen=True):
    """A port that an earlier training has, which is `shown`, with the option that changes it."""

    port: str
    option: str
    shown: str
    place: Place


def same_port(facts: Facts) -> SamePort | None:
    """Raises `NotConcerned` where the launch file starts one training after the other."""
    target = facts.run.target
    launch, launcher = target.launch, target.launched_by
    text = own_text(target) or ""
    lines = text.split("\n")
    if launch is None or launcher is None or not target.taken_for.startswith(OF_SHELL):
        raise NotConcerned("no shell script starts this run")
    if launch.file or not any(map(BACKGROUND.search, lines)):
        raise NotConcerned("the launch file starts one training after the other")
    port = _port(launch)
    try:
        all_of = read_launches(launcher, bytes_of(launcher), target.taken_for) if port else []
    except (OSError, document.Unreadable):
        return None
    for other in takewhile(lambda each: each.key != launch.key, all_of):
        if _port(other) == port and _goes_on(other, launch, lines):
            of_accelerate = launcher_of(launch) == "accelerate"
            option = "--main_process_port" if of_accelerate else "--master_port"
            place = place_of_line(target)
            return SamePort(port, option, other.shown, place)
    return None


def _port(launch: Launch) -> str:
    """The port at which several processes of this machine meet; "" if it is not known."""
    options, name = launcher_options(launch), launcher_of(launch)
    words = {word.text for word in (*launch.around, *launch.before)}
    if (launch.processes or 0) < 2 or launch.accelerate or words & ELSEWHERE:
        return ""
    given = {"accelerate": "main_process_port"}.get(name, "master_port")
    if given in options:
        return options[given] if options[given] != "0" else ""
    return USUAL if name in ("accelerate", "deepspeed") else ""


def _goes_on(first: Launch, second: Launch, lines: Sequence[str]) -> bool:
    """Whether the first one still runs when the second one, or a loop's next turn, starts."""
    end = end_of_command(lines, first.line)
    between = lines[end : second.line - 1]
    if first.line == second.line:
        between = list(takewhile(lambda line: not re.match(r"\s*done\b", line), lines[end:]))
    return BACKGROUND.search(lines[end - 1]) is not None and not any(map(OVER.search, between))
