"""Files that a launch line or a run names: whether they are here, or may be there for the job."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from trl_doctor.facts import Facts, dataset
from trl_doctor.facts.launch.launch_line import lines_to, own_text
from trl_doctor.files.launch.containers import DOCKER
from trl_doctor.files.launch.forms import COMPOSE, DOCKERFILE, KUBERNETES_FILE, PROGRAM, YAML
from trl_doctor.files.launch.launch import Launch
from trl_doctor.files.launch.nested import REMOTE
from trl_doctor.files.launch.placing import found
from trl_doctor.files.launch.shell.named import on_this_machine
from trl_doctor.files.regular import text_of
from trl_doctor.files.target import Target

SETS = re.compile(
    r"\s*(?:(?:export\s+|local\s+|declare\s+)?\w+=|(?:-\s+)?[\"']?\w+[\"']?:\s+)\S*\s*(?:#.*)?$"
)
"""A line that only sets a variable, also of YAML: it makes no file."""

MAKES = re.compile(
    r"^[\s\"]*[!%]|\b(?:wget|curl|urlretrieve|hf_hub_download|open|write\w*|copy\w*|save\w*|dump"
    r"|to_json|to_csv|to_parquet|to_disk)\b"
)
"""What a line has that downloads, copies or writes a file; a notebook's are texts of JSON."""

BRINGS = re.compile(
    r"^[^#]*\b(?:cp|mv|ln|rsync|scp|tar|unzip|rclone|gsutil|azcopy|dvc|s3\s+(?:cp|sync)"
    r"|git\s+(?:-C\s+\S+\s+)?(?:clone|pull|checkout|submodule|lfs|worktree)|download-artifact)\b"
    r"|--local-dir\b"
    r"|(?:^|[;&|])[\t ]*(?:make|just)\s"
)
"""A line that may bring files which it does not name: a folder, a repository, an archive."""

STARTED = re.compile(r"(?<![\w=])[\w./-]+\.(?:py|sh|bash)\b")
"""A script that a line starts, or reads."""

GOES = re.compile(r"(?:^|[;&|(])[\t ]*(?:cd|pushd)\s")
STAYS = re.compile(
    r"^\s*cd\s+[\"']?\$\{?(?:SLURM_SUBMIT_DIR|PBS_O_WORKDIR|LS_SUBCWD|PWD)\}?[\"']?"
    r"\s*(?:[;&|#].*)?$"
)
"""A line that goes to another folder, and one that stays where the job was started."""

CONTAINERS = DOCKER  # Apptainer sees the folder that it is started in
IMAGES = (DOCKERFILE, KUBERNETES_FILE, COMPOSE)
"""Kinds of files whose commands start in an image."""

STARTS_IMAGE = re.compile(r"modal|[Ii]mage|docker|sagemaker|Kubernetes|azure|aiplatform")
"""What a program has that starts commands in one."""

DEEP = 4
"""Parts of a path, with the root: the folder of `/tmp/acc.yaml` is on every machine."""


def is_there(target: Target, name: str) -> bool:
    """Whether a file that a launch file names is found from here."""
    launcher = target.launched_by
    return launcher is not None and found(name, target.launch, launcher) is not None


def is_here(facts: Facts, name: str) -> bool:
    """Whether a file that a launch file or the run names is found from here."""
    if facts.run.target.launched_by is not None:
        return is_there(facts.run.target, name)
    return dataset.existing_path(facts, name) is not None


def uncertain(facts: Facts, name: str) -> str:
    """Why a file that is not here may be there for the job; "" if it will not be."""
    target = facts.run.target
    if target.kind == "script" and _made_by(target.path, name):
        return f"{target.path.name} may make {name} itself"
    launch, launcher = target.launch, target.launched_by
    if launch is None or launcher is None:
        return of_another_machine(name)
    lines = lines_to(launch, launcher)
    before = _run_before(target, launch, lines)
    if _named_before(before, name) or _brought(before, name, launch, launcher):
        return f"{launcher.name} may make {name} itself, in a line before"
    if inside := on_this_machine(name, target.mounts):
        roots = {outside for _, outside in target.mounts}  # may be empty on this machine only
        certain = inside.parent.is_dir() and inside.parent not in roots
        return "" if certain else f"the container sees {inside} as {name}, and it is not here"
    if _is_of_image(target, name):
        return f"{name} is not here, and may be a file of the image"
    if _starts_elsewhere(target, launch, lines, name):
        return f"{name} is not here, and the line starts in a folder that is not here either"
    remote = any(word.text in REMOTE for word in (*launch.around, *launch.before))
    try:
        path = Path(name).expanduser()
        everywhere = len(path.parts) < DEEP or not path.parent.is_dir()
        if remote or (path.is_absolute() and everywhere):
            return f"{name} is not here, and may be a file of the machine that the job runs on"
    except (OSError, RuntimeError, ValueError):
        return f"{name} cannot be looked for"
    return ""


def _run_before(target: Target, launch: Launch, lines: Sequence[str]) -> Sequence[str]:
    """The lines above; in YAML also those below, where another key may have an earlier command."""
    if not target.taken_for.startswith(YAML):
        return lines[:-1]
    below = (own_text(target) or "").split("\n")[launch.line :]
    return [*lines[:-1], *(line for line in below if not line.lstrip().startswith("#"))]


def _starts_elsewhere(target: Target, launch: Launch, lines: Sequence[str], name: str) -> bool:
    """Whether the line starts in a folder that is not on this machine, or is not known."""
    if Path(name).is_absolute() or name.startswith("~"):
        return False
    if not launch.folder:
        return any(GOES.search(line) and not STAYS.match(line) for line in lines)
    there = on_this_machine(launch.folder, target.mounts) or Path(launch.folder)
    return there.is_absolute() and not there.is_dir()


def _is_of_image(target: Target, name: str) -> bool:
    """Whether the line starts in an image, in a folder that is not one of this machine."""
    launch = target.launch
    if launch is None or Path(name).is_absolute():
        return False
    words = [PurePosixPath(word.text).name for word in (*launch.around, *launch.before)]
    in_image = target.taken_for.startswith(IMAGES)
    if target.taken_for.startswith(PROGRAM):
        in_image = STARTS_IMAGE.search(own_text(target) or "") is not None
    contained = any(word in CONTAINERS or word.startswith("--container-image") for word in words)
    if not in_image and not contained:
        return False
    whole = posixpath.join(launch.folder, name)
    return not launch.folder or on_this_machine(whole, target.mounts) is None


def of_another_machine(name: str) -> str:
    """Why a full path is one of another machine: not even its first folder is here."""
    parts = PurePosixPath(name).parts
    if len(parts) < DEEP or parts[0] != "/" or Path(*parts[:2]).exists():
        return ""
    return f"{name} is not here, and this machine has no {'/'.join(('', parts[1]))}"


def _made_by(script: Path, name: str) -> bool:
    """Whether a line of a script or a notebook that names the file may make it."""
    end = Path(name).name
    try:
        lines = text_of(script, "replace").splitlines()
    except OSError:
        return False
    return bool(end) and any(end in line and MAKES.search(line) for line in lines)


def _named_before(lines: Sequence[str], name: str) -> bool:
    """Whether a line names the file, other than to set a variable."""
    end = Path(name).name
    return any(end in line and not SETS.match(line) for line in lines)


def _brought(lines: Sequence[str], name: str, launch: Launch, launcher: Path) -> bool:
    """Whether a line may bring the file without its name, or starts a script that may make it."""
    if any(map(BRINGS.search, lines)):
        return True
    end, form = Path(name).name, Path(name).suffix
    for script in {match for line in lines for match in STARTED.findall(line)}:
        path = found(script, launch, launcher)
        try:
            text = text_of(path, "replace") if path else ""
        except OSError:
            continue
        if end in text or (form and form in text and MAKES.search(text)):
            return True
    return False
