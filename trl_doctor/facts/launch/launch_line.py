"""What a launch line names: files that are not here, and options in a wrong place."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from trl_doctor.core.finding import Place
from trl_doctor.facts import Facts, dataset
from trl_doctor.facts.library import launch_options
from trl_doctor.files.launch.containers import DOCKER
from trl_doctor.files.launch.flags import config_of
from trl_doctor.files.launch.forms import COMPOSE, KUBERNETES_FILE, PROGRAM
from trl_doctor.files.launch.launch import Launch
from trl_doctor.files.launch.placing import found
from trl_doctor.files.launch.shell.inside import named_exactly
from trl_doctor.files.launch.shell.lines import lines_of
from trl_doctor.files.launch.shell.named import on_this_machine
from trl_doctor.files.regular import bytes_of, text_of
from trl_doctor.files.target import Target

LARGEST = 1024 * 1024
"""Bytes of a launch file that is searched as a whole."""

SETS = re.compile(
    r"\s*(?:(?:export\s+|local\s+|declare\s+)?\w+=|(?:-\s+)?[\"']?\w+[\"']?:\s+)\S*\s*(?:#.*)?$"
)
"""A line that only sets a variable, also of YAML: it makes no file."""

MAKES = re.compile(
    r"^[\s\"]*[!%]|\b(?:wget|curl|urlretrieve|hf_hub_download|open|write\w*|copy\w*|save\w*|dump)\b"
)
"""What a line has that downloads, copies or writes a file; a notebook's are texts of JSON."""

CONTAINERS = DOCKER  # Apptainer sees the folder that it is started in
IMAGES = ("a Dockerfile", KUBERNETES_FILE, COMPOSE)
"""Kinds of files whose commands start in an image."""

STARTS_IMAGE = re.compile(r"modal|[Ii]mage|docker|sagemaker|Kubernetes|azure|aiplatform")
"""What a program has that starts commands in one."""

DEEP = 4
"""Parts of a path, with the root: the folder of `/tmp/acc.yaml` is on every machine."""


OPTIONS: Mapping[str, frozenset[str]] = {
    "torchrun": frozenset(
        ["nnodes", "nproc_per_node", "node_rank", "master_addr", "master_port", "rdzv_backend",
         "rdzv_endpoint", "rdzv_id", "standalone", "max_restarts"]
    ),
    "deepspeed": frozenset(["num_gpus", "num_nodes", "hostfile", "include", "exclude"]),
}  # fmt: skip
"""Options of launchers that no script is likely to have."""


def of_launcher(facts: Facts, key: str) -> str:
    """What to do about an option of the launcher that comes after the script; "" for others."""
    launch = facts.run.target.launch
    if launch is None or not launch.script:
        return ""
    before = launch.whole[: len(launch.whole) - len(launch.words)]
    programs = {PurePosixPath(word.text).name for word in before}
    options = [*OPTIONS.items()]
    if "accelerate" in programs:
        options += [("accelerate", frozenset(launch_options(facts.environment)))]
    program = next((name for name, keys in options if name in programs and key in keys), "")
    return f"write --{key} before {launch.script}: it is an option of {program}" if program else ""


def place_on_line(target: Target, line: int, column: int) -> Place:
    """A place in the launch file that starts a target; `line` is one of its commands' lines."""
    launcher = target.launched_by or target.path
    try:
        lines = lines_of(launcher, bytes_of(launcher))
    except OSError:
        return Place(launcher)
    return Place(launcher, spot=lines.at(line, column))


def place_at(target: Target, text: str, at: int) -> Place:
    """The place of a character in the text of the launch file that starts a target."""
    return place_on_line(target, text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at))


def own_text(target: Target) -> str | None:
    """The text of the launch file that starts a target; None for a large one, or an unreadable."""
    launcher = target.launched_by
    if launcher is None:
        return None
    try:
        return text_of(launcher, "replace") if launcher.stat().st_size < LARGEST else None
    except OSError:
        return None


def config_file(launch: Launch) -> str:
    """What the line gives `--config`; "" for none."""
    return config_of(launch)


def run_file(launch: Launch, code: bytes = b"") -> str:
    """The run file of a command of TRL that no text of the launch file is; "" for none.

    A script has one if its `code` gives it to TrlParser.
    """
    name = config_of(launch) if launch.command or b".parse_args_and_config(" in code else ""
    return "" if "$" in name or named_exactly(launch.files, name) else name


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
    if target.launch is None or target.launched_by is None:
        return of_another_machine(name)
    if _named_before(target.launched_by, target.launch.line, name):
        return f"{target.launched_by.name} may make {name} itself, in a line before"
    if inside := on_this_machine(name, target.mounts):
        roots = {outside for _, outside in target.mounts}  # may be empty on this machine only
        certain = inside.parent.is_dir() and inside.parent not in roots
        return "" if certain else f"the container sees {inside} as {name}, and it is not here"
    if _is_of_image(target, name):
        return f"{name} is not here, and may be a file of the image"
    try:
        path = Path(name).expanduser()
        if path.is_absolute() and (len(path.parts) < DEEP or not path.parent.is_dir()):
            return f"{name} is not here, and may be a file of the machine that the job runs on"
    except (OSError, RuntimeError, ValueError):
        return f"{name} cannot be looked for"
    return ""


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


def _named_before(launcher: Path, line: int, name: str) -> bool:
    """Whether lines above name it, other than in comments and to set a variable."""
    try:
        lines = lines_of(launcher, bytes_of(launcher)).text[: max(line - 1, 0)]
    except OSError:
        return False
    end = Path(name).name
    return any(
        end in text and not text.lstrip().startswith("#") and not SETS.match(text) for text in lines
    )
