"""Machines that end with their job, and the folders of each that do not."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from pathlib import PurePosixPath

from msgspec import Struct

from trl_doctor.core.finding import Json, pointer
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.launch.container import started_container
from trl_doctor.facts.launch.launch_line import own_text
from trl_doctor.files import document
from trl_doctor.files.document import Document
from trl_doctor.files.launch.containers import DOCKER
from trl_doctor.files.launch.forms import GITLAB, PROGRAM, SKYPILOT
from trl_doctor.files.launch.launch import Launch
from trl_doctor.files.launch.shell.variables import MARK, Word, may_be_options
from trl_doctor.files.target import Target

OF_CONTAINER = "this container (--rm)"
SAGEMAKER = ("/opt/ml/model", "/opt/ml/checkpoints", "/opt/ml/output")
"""What SageMaker uploads from the machine of a job."""

MOUNTS = ("-v", "--volume", "--mount", "--tmpfs")
VOLUME = re.compile(r"(?:-v|--volume|--mount)[ =]+\S+")


def machine_of(facts: Facts, launch: Launch) -> tuple[str, tuple[str, ...]]:
    """What the files of a run end with, and the folders that outlive it. Raises `NotConcerned`."""
    target = facts.run.target
    words = started_container(launch)
    if words and PurePosixPath(words[0].text).name in DOCKER:
        if not any(word.text == "--rm" for word in words):
            raise NotConcerned("the container stays")
        if any(map(may_be_options, words)) or any(word.text == "--volumes-from" for word in words):
            raise Unavailable("what the container is given is not known")
        return OF_CONTAINER, tuple(_mounted(words))
    if target.taken_for.startswith(SKYPILOT):
        return "the spot machine", tuple(_buckets(target))
    if target.taken_for.startswith(GITLAB):
        return "its job", _artifacts(target, launch.line)
    if target.taken_for.startswith(PROGRAM) and "sagemaker" in (own_text(target) or ""):
        if "checkpoint_local_path" in (own_text(target) or ""):
            raise NotConcerned("the program names the folder that is kept")
        return "the machine of SageMaker", SAGEMAKER
    raise NotConcerned("the machine stays")


def commands_of(target: Target) -> str:
    """The commands of the launch file that may copy something, without the folders it mounts."""
    if target.taken_for.startswith(PROGRAM):
        return ""
    if target.taken_for.startswith(SKYPILOT):
        return str(_task(target).get("run", ""))
    if target.taken_for.startswith(GITLAB) and target.launch:
        return str(_jobs(target, target.launch.line).own.get("script", ""))
    return VOLUME.sub("", own_text(target) or "")


def _mounted(words: Sequence[Word]) -> Iterator[str]:
    """The folders of a container that are volumes, as it sees them."""
    for at, word in enumerate(words):
        name, equals, value = word.inner.partition("=")
        if name not in MOUNTS:
            continue
        value = value if equals else "".join(each.inner for each in words[at + 1 : at + 2])
        if MARK in value:
            raise Unavailable("what the container is given is not known")
        if name == "--mount":
            keys = dict(part.partition("=")[::2] for part in value.split(","))
            yield keys.get("target") or keys.get("dst") or keys.get("destination") or "/"
        else:
            yield value.split(":")[1] if ":" in value else value


def _file(target: Target) -> Document | None:
    try:
        return document.read(target.launched_by) if target.launched_by else None
    except document.Unreadable:
        return None


def _task(target: Target) -> Mapping[str, Json]:
    file = _file(target)
    return file.mapping() if file else {}


def _buckets(target: Target) -> Iterator[str]:
    """The folders of a task of SkyPilot that are buckets or volumes. Raises `NotConcerned`."""
    task = _task(target)
    resources = task.get("resources")
    spot = isinstance(resources, dict) and (
        resources.get("use_spot") is True or "job_recovery" in resources
    )
    if not spot:
        raise NotConcerned("the machine stays until the user ends it")
    for key in ("file_mounts", "volumes"):
        entries = task.get(key)
        for folder, source in entries.items() if isinstance(entries, dict) else ():
            if key == "volumes" or isinstance(source, dict) or "://" in str(source):
                yield folder


class _Jobs(Struct):
    """The job of a pipeline that starts the run, and the other ones."""

    own: Mapping[str, Json]
    others: list[Mapping[str, Json]]


def _jobs(target: Target, line: int) -> _Jobs:
    """The jobs of a pipeline, of which the own one has the line in its script."""
    file = _file(target)
    jobs = [
        (file.position(pointer(name, "script")).line, job)
        for name, job in (file.mapping().items() if file else ())
        if file and isinstance(job, dict) and "script" in job
    ]
    above = [(first, job) for first, job in jobs if first <= line]
    first, own = max(above, key=itemgetter(0), default=(0, {}))
    return _Jobs(own, [job for at, job in jobs if at != first])


def _artifacts(target: Target, line: int) -> tuple[str, ...]:
    """What a job of GitLab hands on, if it says so. Raises `NotConcerned`."""
    job = _jobs(target, line).own
    artifacts, cache = job.get("artifacts"), job.get("cache")
    paths = artifacts.get("paths") if isinstance(artifacts, dict) else None
    if not isinstance(paths, list) or cache is not None or "extends" in job:
        raise NotConcerned("the job says nothing of its artifacts")
    if any(not isinstance(path, str) or set("*$?") & set(path) for path in paths):
        raise Unavailable("which files the artifacts are is not known")
    return tuple(str(path).removeprefix("./") for path in paths)


def named_by_others(target: Target, line: int, output: str) -> bool:
    """Whether another job of the pipeline takes the output; true of files of other kinds."""
    if not target.taken_for.startswith(GITLAB):
        return True
    return any(
        output.removeprefix("./") in str(job.get("script")) for job in _jobs(target, line).others
    )
