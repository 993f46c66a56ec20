"""The folders of the logs that a script asks Slurm for."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath

from msgspec import Struct

from trl_doctor.core.finding import Place
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.launch.launch_line import own_text, place_on_line
from trl_doctor.facts.launch.named_files import DEEP
from trl_doctor.files.launch.containers import FOLDERS
from trl_doctor.files.launch.directives import of_job
from trl_doctor.files.regular import text_of

LOGS = {"--output": "--output", "-o": "--output", "--error": "--error", "-e": "--error"}
MAKERS = ("*.sh", "*.bash", "*.sbatch", "*.slurm", "*.py", "Makefile", "justfile", "README*")
"""Files beside the script that may make a folder before it is submitted, or tell the user to."""

LARGEST, MOST = 256 * 1024, 50
"""Bytes of such a file, and number of them, that are searched."""


class LogFolder(Struct, frozen=True):
    """A folder that is not there, the option that names it, and its place.

    `made_in` is the line of the script that makes it, 0 for none.
    """

    option: str
    folder: str
    place: Place
    made_in: int


def missing_log_folders(facts: Facts) -> tuple[LogFolder, ...]:
    """The folders of logs that are not there. Raises `NotConcerned` without such a script."""
    launcher = facts.run.target.launched_by
    text = own_text(facts.run.target) or ""
    options = of_job(text)
    if launcher is None or not options:
        raise NotConcerned("no script of Slurm starts this run")
    if any(option.name in FOLDERS["srun"] for option in options):
        raise NotConcerned("the script chooses the folder in which it runs")
    found: dict[str, LogFolder] = {}
    for option in options:
        folder = _folder(option.value) if option.name in LOGS else ""
        if folder and folder not in found and _is_missing(folder, launcher):
            place = place_on_line(facts.run.target, option.line, option.column)
            found[folder] = LogFolder(LOGS[option.name], folder, place, _made_in(text, folder))
    return tuple(found.values())


def _folder(value: str) -> str:
    """The folder of a file name, without the parts that Slurm fills in."""
    parts = PurePosixPath(value).parent.parts
    known = next((at for at, part in enumerate(parts) if "%" in part), len(parts))
    folder = str(PurePosixPath(*parts[:known])) if parts[:known] else ""
    return "" if folder in ("", ".", "/") or folder.startswith(("~", "..")) else folder


def _is_missing(folder: str, launcher: Path) -> bool:
    """Whether the folder is surely not there, nor made by a file beside the script."""
    path = Path(folder)
    try:
        if path.is_absolute():  # it may be one of the machines of the cluster
            return len(path.parts) >= DEEP and path.parent.is_dir() and not path.exists()
        here = (Path.cwd(), launcher.absolute().parent)
        if any((root / path).exists() for root in here):
            return False
    except OSError:
        return False
    beside = [file for root in dict.fromkeys(here) for kind in MAKERS for file in root.glob(kind)]
    return not any(_makes(file, folder) for file in beside[:MOST] if file.name != launcher.name)


def _makes(file: Path, folder: str) -> bool:
    try:
        text = text_of(file, "replace") if file.stat().st_size < LARGEST else ""
    except OSError:
        return False
    name = re.escape(PurePosixPath(folder).name)
    makes = re.compile(
        rf"(?:mkdir|makedirs|install -d).*(?<![\w-]){name}(?![\w-])"
        rf"|(?<![\w-]){name}(?![\w-]).*\.mkdir\("
    )
    return any(map(makes.search, text.splitlines()))


def _made_in(text: str, folder: str) -> int:
    """The line of the script that makes the folder itself, too late; 0 for none."""
    for number, line in enumerate(text.split("\n"), 1):
        if re.match(r"\s*mkdir\b", line) and re.search(rf"[\s\"'./]{re.escape(folder)}\b", line):
            return number
    return 0
