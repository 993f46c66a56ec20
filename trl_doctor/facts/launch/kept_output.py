"""Whether what a run in a pod of Kubernetes writes outlives the pod."""

from __future__ import annotations

import re

from msgspec import Struct

from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts.facts import Facts
from trl_doctor.files import document
from trl_doctor.files.launch.forms import KUBERNETES_FILE
from trl_doctor.files.launch.pods import PodContainer, container_of
from trl_doctor.files.regular import bytes_of

LEAVES = re.compile(
    r"push_to_hub|upload|\bhf_?api\b|create_commit|s3|gs://|gcs|gsutil|gcloud|azcopy|azure|abfs|"
    r"boto|minio|rclone|rsync|\bscp\b|sftp|fsspec|wget|curl|requests\.|kubectl|"
    r"log_model|artifact|bucket|blob|backup|publish|ray\.train|(?<!\w)(?!https?:)\w+:/",
    re.IGNORECASE,
)
"""What may take the files elsewhere, in a script or in its launch file."""

COPIES = re.compile(r"\b(?:cp|mv|tar|zip|save\w*|copy\w*|move|rename|copytree|make_archive)\b")
"""What may write to another folder."""

IMAGES = re.compile(r"^\s*-?\s*image:.*$", re.MULTILINE)


class Lost(Struct, frozen=True):
    """The folder of the checkpoints, and the folders of the container that outlive the pod."""

    output: str
    kept: tuple[str, ...]


def lost_output(facts: Facts) -> Lost | None:
    """The output folder that ends with its pod; None if it stays, or something copies it."""
    target, run = facts.run.target, facts.run
    launch, launcher = target.launch, target.launched_by
    if launch is None or launcher is None or KUBERNETES_FILE not in target.taken_for:
        raise NotConcerned("no file of Kubernetes starts the run")
    output = run.arguments.get("output_dir")
    if not isinstance(output, str) or not output:
        raise Unavailable("output_dir is not known")
    try:
        data = bytes_of(launcher)
        container = None if b"{{" in data else container_of(launcher, data, launch.line)
    except (OSError, document.Unreadable):
        container = None
    if container is None:
        raise Unavailable("the volumes of the pod are not known: the file has a template")
    if container.keeps(output) is not False or _leaves(facts, data, container):
        return None
    return Lost(output, tuple(mount.path for mount in container.mounts if mount.kept))


def _leaves(facts: Facts, data: bytes, container: PodContainer) -> bool:
    """Whether the script or the launch file may copy what the run has written."""
    run = facts.run
    saves = run.arguments.get("save_strategy") != "no" or run.flag("push_to_hub")
    text = IMAGES.sub("", data.decode(errors="replace"))
    file = run.file
    if not isinstance(file, document.Unreadable | None):
        text += f"\n{file.data.decode(errors='replace')}"
    kept = [mount.path for mount in container.mounts if mount.kept or mount.shared]
    lines = [line for line in text.splitlines() if COPIES.search(line)]
    copied = any(path in line for path in kept for line in lines)
    return not saves or bool(LEAVES.search(text)) or copied
