"""Whether what a run writes outlives its pod, its container, or its machine."""

from __future__ import annotations

import re
from pathlib import Path

from msgspec import Struct

from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.launch.launch_line import own_text
from trl_doctor.facts.launch.machines import (
    OF_CONTAINER,
    commands_of,
    machine_of,
    named_by_others,
)
from trl_doctor.files import document
from trl_doctor.files.document import Document
from trl_doctor.files.launch.forms import KUBERNETES_FILE
from trl_doctor.files.launch.launch import Launch
from trl_doctor.files.launch.pods import PodContainer, cluster_of, container_of

LEAVES = re.compile(
    r"push_to_hub|upload|\bhf_?api\b|create_commit|s3|gs://|gcs|gsutil|gcloud|azcopy|azure|abfs|"
    r"boto|minio|rclone|rsync|\bscp\b|sftp|fsspec|wget|curl|requests\.|kubectl|"
    r"log_model|artifact|bucket|blob|backup|publish|ray\.train|(?<!\w)(?!https?:)\w+:/",
    re.IGNORECASE,
)
"""What may take the files elsewhere, in a script or in its launch file."""

COPIES = re.compile(r"\b(?:cp|mv|tar|zip|save\w*|copy\w*|move|rename|copytree|make_archive)\b")
"""What may write to another folder."""

COPYING = re.compile(r"^[^#\n]*\b(?:cp|mv|tar|copytree|shutil)\b", re.MULTILINE)
IMAGES = re.compile(r"^\s*-?\s*image:.*$", re.MULTILINE)


OF_POD, OF_RAY = "the pod of this container", "the cluster of this RayJob"


class Lost(Struct, frozen=True):
    """The folder of the checkpoints, what it ends with, and the folders that outlive this."""

    output: str
    kept: tuple[str, ...]
    ends: str = OF_POD


def lost_output(facts: Facts) -> Lost | None:
    """The output folder that ends with its machine; None if it stays, or something copies it."""
    target = facts.run.target
    launch, launcher = target.launch, target.launched_by
    if launch is None or launcher is None:
        raise NotConcerned("no launch file starts the run")
    if KUBERNETES_FILE in target.taken_for:
        return _of_pod(facts, launch, launcher)
    ends, kept = machine_of(facts, launch)
    output = _output(facts)
    path = output if output.startswith(("/", "~")) else f"{launch.folder or '.'}/{output}"
    path = path.removeprefix("./")
    if not named_by_others(target, launch.line, output):
        return None
    if "$" in output or any(_is_below(path, folder) for folder in kept):
        return None
    if ends == OF_CONTAINER and not path.startswith("/"):
        return None  # the folder of the image
    return None if _leaves_machine(facts, kept) else Lost(output, kept, ends)


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder.rstrip('/')}/")


def _output(facts: Facts) -> str:
    output = facts.run.arguments.get("output_dir")
    if not isinstance(output, str) or not output:
        raise Unavailable("output_dir is not known")
    return output


def _of_pod(facts: Facts, launch: Launch, launcher: Path) -> Lost | None:
    output = _output(facts)
    try:
        container = container_of(launcher, launch.line)
        containers = [container] if container else cluster_of(launcher)
    except document.Unreadable:
        containers = []
    if not containers:
        raise Unavailable("the volumes of the pod are not known: the file has a template")
    for each in containers:
        if each.keeps(output) is not False or _leaves_pod(facts, each):
            return None
    kept = (mount.path for each in containers for mount in each.mounts if mount.kept)
    return Lost(output, tuple(dict.fromkeys(kept)), OF_POD if container else OF_RAY)


def _leaves_pod(facts: Facts, container: PodContainer) -> bool:
    """Whether the script or the launch file may copy what the run has written."""
    text = f"{IMAGES.sub('', own_text(facts.run.target) or '')}\n{_source(facts)}"
    kept = [mount.path for mount in container.mounts if mount.kept or mount.shared]
    lines = [line for line in text.splitlines() if COPIES.search(line)]
    copied = any(path in line for path in kept for line in lines)
    return not _saves(facts) or bool(LEAVES.search(text)) or copied


def _leaves_machine(facts: Facts, kept: tuple[str, ...]) -> bool:
    """The same of a machine, whose launch file may copy from any folder."""
    source = _source(facts)
    text = f"{commands_of(facts.run.target)}\n{source}"
    named = any(folder in source for folder in (*kept, "SM_"))
    copied = bool(LEAVES.search(text) or COPYING.search(text))
    return not source or not _saves(facts) or named or copied


def _saves(facts: Facts) -> bool:
    run = facts.run
    output = re.escape(str(run.arguments.get("output_dir")))
    at_end = rf"\.save_model\(\s*(?:\)|[\"']{output}\b)"
    itself = run.arguments.get("save_strategy") != "no" or run.flag("push_to_hub")
    return itself or re.search(at_end, _source(facts)) is not None


def _source(facts: Facts) -> str:
    file = facts.run.file
    return file.data.decode(errors="replace") if isinstance(file, Document) else ""
