"""The container in which a launch line starts: its GPUs and its shared memory."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath

from msgspec import Struct

from trl_doctor.core.finding import Place
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.launch.launch_line import place_on_line
from trl_doctor.files.launch.containers import APPTAINER, DOCKER
from trl_doctor.files.launch.launch import Launch
from trl_doctor.files.launch.shell.variables import Word, may_be_options

GIVES_GPUS = (
    "--nv", "--nvccli", "--rocm", "--gpus", "--device", "--runtime", "--privileged", "--hooks-dir"
)  # fmt: skip
SET_BEFORE = tuple(
    f"{program}_{option}"
    for program in ("APPTAINER", "SINGULARITY")
    for option in ("NV", "NVCCLI", "ROCM")
)
STARTED_BEFORE = ("instance://", "NVIDIA_VISIBLE_DEVICES")
"""What a container has that runs already, or that gets its GPUs from the host's own settings."""

SHARES = ("--ipc", "--shm-size", "--mount", "--tmpfs")
SHARED = "/dev/shm"
"""The folder whose size limits what the processes of a container share."""


class Lack(Struct, frozen=True):
    """What a container lacks: the option of the program, behind its verb, that gives it."""

    program: str
    verb: str
    option: str
    place: Place


def without_gpus(facts: Facts) -> Lack | None:
    """A container that gets no GPU, though the job needs one. Raises `NotConcerned`."""
    launch = facts.run.target.launch
    words = started_container(launch) if launch else ()
    if launch is None or not words:
        raise NotConcerned("the launch file starts no container")
    if not launch.cluster.gpus_per_node and (launch.processes or 1) < 2:
        return None
    if any(name in launch.variables for name in SET_BEFORE) or _has(words, GIVES_GPUS):
        return None
    if any(mark in word.text for word in words for mark in STARTED_BEFORE):
        return None
    name = PurePosixPath(words[0].text).name
    verb = "run" if name in DOCKER else words[1].text
    option = "--nv" if name in APPTAINER else "--gpus all"
    place = place_on_line(facts.run.target, words[0].line, words[0].column)
    return Lack(name, verb, option, place)


def without_shared_memory(facts: Facts) -> Lack | None:
    """A container of Docker whose processes share 64 MB only. Raises `NotConcerned`."""
    launch = facts.run.target.launch
    words = started_container(launch) if launch else ()
    if launch is None or not words or PurePosixPath(words[0].text).name not in DOCKER:
        raise NotConcerned("the launch file starts no container of Docker")
    mounted = any(inside == SHARED for inside, _ in launch.mounts)
    if (launch.processes or 1) < 2 or mounted or _has(words, SHARES):
        return None
    place = place_on_line(facts.run.target, words[0].line, words[0].column)
    return Lack(PurePosixPath(words[0].text).name, "run", "--ipc=host", place)


def started_container(launch: Launch) -> Sequence[Word]:
    """The words of `docker run` or `apptainer exec` before the command in the container."""
    words = (*launch.around, *launch.before)
    for at, word in enumerate(words):
        name = PurePosixPath(word.text).name
        verbs = ("exec", "run") if name in APPTAINER else ("run",) if name in DOCKER else ()
        verb = [word.text for word in words[at + 1 : at + 3]]
        if verbs and any(text in verbs for text in verb) and "compose" not in verb:
            return words[at:]
    return ()


def _has(words: Sequence[Word], options: Sequence[str]) -> bool:
    """Whether one of the options is given, or may be in a word that is not known."""
    if any(map(may_be_options, words[1:])):
        return True
    return any(word.text.partition("=")[0] in options for word in words)
