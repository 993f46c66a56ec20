"""What a script for Slurm asks for: the folders of its logs, and the rank of a node."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from msgspec import Struct
from msgspec.structs import replace

from trl_doctor.core.finding import Place
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.launch.launch_line import DEEP, place_on_line
from trl_doctor.files.launch.containers import FOLDERS
from trl_doctor.files.launch.directives import of_job
from trl_doctor.files.launch.launch import Launch
from trl_doctor.files.launch.shell.variables import Word
from trl_doctor.files.regular import bytes_of, text_of

LOGS = {"--output": "--output", "-o": "--output", "--error": "--error", "-e": "--error"}
RANKS = ("machine_rank", "node_rank")
MACHINES = ("num_machines", "nnodes")
OF_A_NODE = re.compile(r"\$(SLURM_NODEID|SLURM_PROCID)")
"""Variables that `srun` sets for each node or process, and that are 0 in the batch script."""

MAKERS = ("*.sh", "*.bash", "*.sbatch", "*.slurm", "*.py", "Makefile", "justfile")
"""Files beside the script that may make a folder before it is submitted."""

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
    if launcher is None or launcher.suffix.lower() == ".ipynb":
        raise NotConcerned("no script of Slurm starts this run")
    try:
        text = bytes_of(launcher).decode(errors="replace")
    except OSError as error:
        raise NotConcerned("no script of Slurm starts this run") from error
    options = of_job(text)
    if not options:
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
    makes = re.compile(rf"(?:mkdir|makedirs|install -d).*(?<![\w-]){name}(?![\w-])")
    return any(map(makes.search, text.splitlines()))


def _made_in(text: str, folder: str) -> int:
    """The line of the script that makes the folder itself, too late; 0 for none."""
    for number, line in enumerate(text.splitlines(), 1):
        if re.match(r"\s*mkdir\b", line) and re.search(rf"[\s\"'./]{re.escape(folder)}\b", line):
            return number
    return 0


def rank_of_first_node(facts: Facts) -> tuple[str, Word] | None:
    """The option for the rank of a node, and its word, which the first node alone fills in.

    Raises `NotConcerned` if `srun` does not start the run on several nodes.
    """
    launch = facts.run.target.launch
    inside = launch is not None and any(word.text == "srun" for word in launch.around)
    if launch is None or not (launch.srun or inside):
        raise NotConcerned("srun does not start this run")
    options = dict(_named(launch.whole))
    words = {name: word for name, word in options.items() if name in (*RANKS, *MACHINES)}
    counts = [words[name].text for name in MACHINES if name in words and not words[name].open]
    if not (launch.cluster.nodes or 0) > 1 and not any(text not in ("", "1") for text in counts):
        raise NotConcerned("the run has one node")
    if "rdzv_backend" in options and options["rdzv_backend"].text != "static":
        return None  # the nodes then find out their ranks themselves
    for name in RANKS:
        if name in words and not inside and OF_A_NODE.fullmatch(words[name].spelled):
            return name, words[name]
        if name in words and inside and (spelled := _filled_in(launch, name)):
            return name, replace(words[name], spelled=spelled)
    return None


def _filled_in(launch: Launch, option: str) -> str:
    """The variable of an option in a text for `bash -c` that the shell around it fills in."""
    rank = re.compile(rf"--{option.replace('_', '[_-]')}(?:=|\s+)(\$SLURM_(?:NODEID|PROCID))\b")
    texts = (word.spelled for word in launch.around if word.open)
    return next((match[1] for match in map(rank.search, texts) if match), "")


def _named(words: tuple[Word, ...]) -> Iterator[tuple[str, Word]]:
    """The options of a command with their values."""
    for at, word in enumerate(words):
        text = word.spelled or word.text
        if not text.startswith("--"):
            continue
        name, equals, _ = text[2:].partition("=")
        if equals:
            yield name.replace("-", "_"), word.behind(len(name) + 3)
        elif at + 1 < len(words):
            yield name.replace("-", "_"), words[at + 1]
