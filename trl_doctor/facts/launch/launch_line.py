"""The launch line of a run: its text, its places, its run file, options in a wrong place."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath

from trl_doctor.core.finding import Place
from trl_doctor.facts import Facts
from trl_doctor.facts.library import launch_options
from trl_doctor.files.launch.flags import config_of
from trl_doctor.files.launch.launch import Launch
from trl_doctor.files.launch.shell.inside import named_exactly
from trl_doctor.files.launch.shell.lines import lines_of
from trl_doctor.files.regular import bytes_of, text_of
from trl_doctor.files.target import Target

LARGEST = 1024 * 1024
"""Bytes of a launch file that is searched as a whole."""

READS_OTHERS = re.compile(
    r"^\s*(?:source|\.)\s+(?!.*(?:activate|bashrc|profile|conda\.sh)\b)", re.MULTILINE
)
"""A line that reads another file, which may set variables and options of the shell."""

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


def place_of_line(target: Target) -> Place:
    """The place of the launch line itself; the whole file of a target that none starts."""
    if target.launch is None:
        return Place(target.launched_by or target.path)
    return place_on_line(target, target.launch.line, target.launch.column)


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


def lines_to(launch: Launch, launcher: Path) -> list[str]:
    """The lines of the launch file up to the one that starts the training, comments empty.

    There are none where the file is not read.
    """
    try:
        lines = lines_of(launcher, bytes_of(launcher)).text[: launch.line]
    except OSError:
        return []
    return ["" if line.lstrip().startswith("#") else line for line in lines]


def end_of_command(lines: Sequence[str], line: int) -> int:
    """The last line of the command that begins in a line, both from 1."""
    while line < len(lines) and lines[line - 1].rstrip().endswith("\\"):
        line += 1
    return line


def config_file(launch: Launch) -> str:
    """What the line gives `--config`; "" for none."""
    return config_of(launch)


def run_file(launch: Launch, code: bytes = b"") -> str:
    """The run file of a command of TRL that no text of the launch file is; "" for none.

    A script has one if its `code` gives it to TrlParser.
    """
    name = config_of(launch) if launch.command or b".parse_args_and_config(" in code else ""
    return "" if "$" in name or named_exactly(launch.files, name) else name
