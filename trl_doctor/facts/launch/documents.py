"""Here-documents that a launch file submits as jobs."""

from __future__ import annotations

import re

from msgspec import Struct

from trl_doctor.core.finding import Place
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.launch.launch_line import own_text, place_at
from trl_doctor.files.launch.directives import of_job

SUBMITTED = re.compile(
    r"^[^#\n]*\b(?:sbatch|qsub|bsub)\b[^\n]*<<-?[ \t]*(\w+)[^\n]*\n(.*?)^[ \t]*\1[ \t]*$",
    re.MULTILINE | re.DOTALL,
)
OF_JOB = re.compile(
    r"(?<!\\)\$\{?(SLURM_(?:JOB_ID|JOBID|JOB_NODELIST|NODELIST|NODEID|PROCID|LOCALID|NNODES|NTASKS"
    r"|JOB_NUM_NODES|ARRAY_TASK_ID))\b(?!:?[-=])"
)
"""Variables that Slurm sets in the job only, without a default."""

COMMENT = re.compile(r"^[ \t]*#(?!SBATCH).*$", re.MULTILINE)


class Early(Struct, frozen=True):
    """A variable of the job that the submitting shell fills in."""

    name: str
    place: Place


def filled_early(facts: Facts) -> tuple[Early, ...]:
    """Raises `NotConcerned` where no launch file submits a here-document."""
    target = facts.run.target
    launcher = target.launched_by
    if launcher is None or target.launch is None or launcher.suffix.lower() in (".ipynb", ".py"):
        raise NotConcerned("no launch file starts this run")
    text = own_text(target) or ""
    documents = list(SUBMITTED.finditer(text))
    if not documents:
        raise NotConcerned("the launch file submits no text as a job")
    if of_job(text):
        raise NotConcerned("the launch file is itself a job, which has these variables")
    found: dict[str, Early] = {}
    for document in documents:
        body = COMMENT.sub(lambda match: " " * len(match[0]), document[2])
        for named in OF_JOB.finditer(body):
            own = rf"\b{named[1]}=|\b(?:for|read)\b[^\n]*\b{named[1]}\b"
            if named[1] not in found and not re.search(own, text[: document.start(2)]):
                place = place_at(target, text, document.start(2) + named.start())
                found[named[1]] = Early(named[1], place)
    return tuple(found.values())
