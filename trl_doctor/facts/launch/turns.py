"""Whether the runs of a loop, or of an array of jobs, write to the same folder."""

from __future__ import annotations

import re

from msgspec import Struct

from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.launch.launch_line import own_text
from trl_doctor.files.launch.arrays import TASK
from trl_doctor.files.launch.forms import GITHUB
from trl_doctor.files.launch.launch import Launch
from trl_doctor.files.launch.nested import REMOTE
from trl_doctor.files.launch.program import launcher_options

KEEPS = re.compile(
    r"^[^#\n]*\b(?:cp|mv|rsync|tar|zip|rm|aws|gsutil|gcloud|azcopy|rclone|scp|upload|push)\b",
    re.MULTILINE,
)
"""Lines that may take the files of a run elsewhere before the next one."""


AGAIN = re.compile(r"^[^#\n]*(?:\bbreak\b|resume|until\b)", re.MULTILINE | re.IGNORECASE)
"""Lines of a loop that starts one training until it succeeds, or goes on with it."""

RANKS = ("node_rank", "machine_rank")
"""Options of launchers in which the nodes of one training differ."""

GOES = re.compile(r"^[^#\n]*\b(?:cd|pushd)[ \t]+[^\n]*\$", re.MULTILINE)
"""A line that goes to a folder which may be another one in each turn."""


class Shared(Struct, frozen=True):
    """A folder that several runs have; `name` is the variable in which they differ."""

    output: str
    others: str
    name: str


def shared_output(facts: Facts) -> Shared | None:
    """The folder that an earlier turn, or another task, has as well; None if there is none."""
    run = facts.run
    launch = run.target.launch
    one_machine = not run.target.taken_for.startswith(GITHUB)
    if launch is None or not one_machine or not (run.turns or launch.repeats > 1):
        raise NotConcerned("no loop and no array of jobs starts this run")
    output = run.arguments.get("output_dir")
    if not isinstance(output, str) or not output:
        raise Unavailable("output_dir is not known")
    if run.arguments.get("save_strategy") == "no" or run.flag("push_to_hub") or _is_one(launch):
        return None
    script, text = getattr(run.file, "data", b""), own_text(run.target)
    if text is None or any(mark in script for mark in (b"SLURM_", b"hydra.main")):
        return None  # the script itself may choose another folder
    apart = not launch.folder and not output.startswith(("/", "~")) and GOES.search(text)
    if apart or KEEPS.search(text) or AGAIN.search(text):
        return None
    if launch.repeats > 1:
        others = "the other tasks of the array"
        return Shared(output, others, TASK)
    alike = next((shown for shown, other in run.turns if other == output), "")
    name = launch.turn[-1][0] if launch.turn else TASK
    return Shared(output, alike, name) if alike else None


def _is_one(launch: Launch) -> bool:
    """Whether each turn starts another node of one training, or one on another machine."""
    words = (*launch.around, *launch.before)
    options = launcher_options(launch)
    return any(word.text in REMOTE for word in words) or any(name in options for name in RANKS)
