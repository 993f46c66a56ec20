"""Whether a job that its scheduler starts again goes on where it was."""

from __future__ import annotations

import re

from msgspec import Struct

from trl_doctor.core.finding import Place
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.launch.launch_line import own_text, place_at
from trl_doctor.files import document

AGAIN = re.compile(r"^#SBATCH\s.*?(--requeue)\b|^\s+(job_recovery):", re.MULTILINE)
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
    again = AGAIN.search(text)
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
    number = 1 if again[1] else 2
    place = place_at(run.target, text, again.start(number))
    return Again(again[number], file.path.name, place)
