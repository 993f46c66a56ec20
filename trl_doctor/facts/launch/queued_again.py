"""Whether a job that its scheduler starts again goes on where it was."""

from __future__ import annotations

import re

from msgspec import Struct

from trl_doctor.core.finding import Place
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.launch.launch_line import own_text, place_at, place_on_line
from trl_doctor.files import document
from trl_doctor.files.launch.directives import directives
from trl_doctor.files.target import Target

OF_SKY = re.compile(r"^\s+(job_recovery):", re.MULTILINE)
GOES_ON = re.compile(r"resume|checkpoint|ckpt|restore|\.train\(\s*[^)\s]", re.IGNORECASE)
"""What a script or a launch file has that may go on where it was."""

HANDS_ON = re.compile(
    r"\.train\(\s*resume_from_checkpoint\s*=\s*(?:\w+\.)+resume_from_checkpoint\s*\)"
)
"""A call that hands on what the run's arguments say, which may be nothing."""

SHORT = 200
"""Steps of a run that may well begin again."""


class Again(Struct, frozen=True):
    """The option with which the job starts again, its place, and the script."""

    option: str
    script: str
    place: Place


def starts_again(facts: Facts) -> Again | None:
    """Raises `NotConcerned` where nothing starts the job again, or no script trains."""
    run = facts.run
    launch, launcher = run.target.launch, run.target.launched_by
    if launch is None or launcher is None or not launch.script:
        raise NotConcerned("no launch file starts this script")
    text = own_text(run.target) or ""
    again = _option(run.target, text)
    if again is None:
        raise NotConcerned("nothing starts the job again")
    file = run.file
    if not isinstance(file, document.Document) or GOES_ON.search(text):
        return None
    code = HANDS_ON.sub(".train()", file.data.decode(errors="replace"))
    if GOES_ON.search(code) or run.by_class is False:
        return None
    steps = run.number("max_steps", -1) or -1
    if 0 < steps < SHORT or run.arguments.get("resume_from_checkpoint"):
        return None
    return Again(again[0], file.path.name, again[1])


def _option(target: Target, text: str) -> tuple[str, Place] | None:
    """The option of Slurm or SkyPilot that starts a job again, with its place."""
    for option in directives(text):
        if option.name == "--requeue":
            return option.name, place_on_line(target, option.line, option.column)
    key = OF_SKY.search(text)
    return (key[1], place_at(target, text, key.start(1))) if key else None
