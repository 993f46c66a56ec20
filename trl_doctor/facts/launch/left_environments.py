"""Environments of Python that are made for a run, and that its command does not use."""

from __future__ import annotations

import re
from pathlib import Path

from msgspec import Struct

from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.launch.launch_line import own_text
from trl_doctor.files import document
from trl_doctor.files.document import Document
from trl_doctor.files.launch.forms import AZURE_ML, COMPOSE, DOCKERFILE, SKYPILOT
from trl_doctor.files.launch.launch import Launch
from trl_doctor.files.regular import text_of
from trl_doctor.files.target import Target

ACTIVATES = re.compile(
    r"(?:^|[;&|]|\bthen)\s*(?:(?:source|\.)\s+\S+/activate|conda\s+activate)\b[^\n;&|]*", re.M
)
MAKES = re.compile(
    r"\b(?:conda|mamba|micromamba)\s+(?:env\s+)?create\b[^\n]*?(?:-n|--name)[ =]+(\w[\w.-]*)"
)
INSTALLS = re.compile(r"\b(?:pip3?|uv\s+pip)\s+install\b[^\n]*\b(?:trl|-r)\b")
KEEPS = re.compile(r"bashrc|profile|conda\s+init|auto_activate|\bPATH=|--system|\bln\s+-s")
"""What makes an environment that of later shells, too."""

CHOOSES = re.compile(r"activate|(?:conda|mamba|uv)\s+run|/bin/|bash")
"""What a command has that may choose an environment itself."""

PLAIN = ("accelerate", "torchrun", "trl", "deepspeed")
"""Programs that an environment brings, and that a bare machine has not."""

SHARES = re.compile(
    r"^\s*(?:ENV\s+(?:PATH|CONDA_DEFAULT_ENV|VIRTUAL_ENV)|SHELL|ENTRYPOINT)\b", re.M
)


class Left(Struct, frozen=True):
    """What makes an environment or activates it, and the program that is started without it."""

    made: str
    program: str


def left_environment(facts: Facts) -> Left | None:
    """Raises `NotConcerned` where the launch file makes no environment."""
    target, launch = facts.run.target, facts.run.target.launch
    if launch is None or target.launched_by is None:
        raise NotConcerned("no launch file starts this run")
    program = launch.whole[0].text if launch.whole else ""
    if program not in PLAIN or launch.before or launch.around:
        return None
    if target.taken_for.startswith(SKYPILOT):
        return _of_setup(target, program)
    if target.taken_for.startswith((DOCKERFILE, AZURE_ML, COMPOSE)):
        return _of_image(target, launch, program)
    raise NotConcerned("the launch file makes no environment")


def _of_setup(target: Target, program: str) -> Left | None:
    """A task of SkyPilot, whose `run` is another shell than its `setup`."""
    try:
        file: Document = document.read(target.launched_by or Path())
    except document.Unreadable:
        return None
    setup, run = str(file.get("setup", default="")), str(file.get("run", default=""))
    made = ACTIVATES.search(setup)
    if made is None or not INSTALLS.search(setup, made.end()) or KEEPS.search(setup + run):
        return None
    if re.search(r"activate|/bin/|conda\s+run|uv\s+run|^\s*(?:source|\.)\s", run, re.MULTILINE):
        return None
    if INSTALLS.search(setup, 0, made.start()):
        return None
    shown = made[0].strip().lstrip(";&| ")
    return Left(f"setup has `{shown}`, and run is another shell", program)


def _of_image(target: Target, launch: Launch, program: str) -> Left | None:
    """An image whose Dockerfile makes an environment of conda, and does not choose it."""
    path = _dockerfile(target)
    try:
        text = text_of(path, "replace") if path else ""
    except OSError:
        return None
    plain = "\n".join("" if line.lstrip().startswith("#") else line for line in text.split("\n"))
    made = MAKES.search(plain)
    if path is None or made is None or SHARES.search(plain) or KEEPS.search(plain):
        return None
    ours = rf"(?:conda\s+run\b[^\n]*\b{re.escape(made[1])}\b|activate\s+{re.escape(made[1])}\b)"
    inside = re.search(rf"{ours}[^#]*?\binstall\b", plain)
    outside = any(
        INSTALLS.search(line) and not re.search(ours, line)
        for line in plain.replace("\\\n", " ").split("\n")
    )
    own = own_text(target) or ""
    command = own.split("\n")[launch.line - 1] if path == target.launched_by else own
    if not inside or outside or CHOOSES.search(command) or "CONDA" in "".join(launch.variables):
        return None
    line = plain.count("\n", 0, made.start()) + 1
    return Left(
        f"{path.name}:{line} makes the environment {made[1]}, which nothing chooses", program
    )


def _dockerfile(target: Target) -> Path | None:
    launcher = target.launched_by
    if launcher is None or target.taken_for.startswith(DOCKERFILE):
        return launcher
    text = own_text(target) or ""
    key = r"path" if target.taken_for.startswith(AZURE_ML) else r"context"
    named = re.search(
        rf"^\s*build:\s*(?:\{{?\s*{key}:\s*)?([\w./-]+)\s*\}}?\s*$", text, re.MULTILINE
    )
    below = re.search(rf"^\s*build:\s*\n\s*{key}:\s*([\w./-]+)\s*$", text, re.MULTILINE)
    match = named or below
    found = launcher.parent / match[1] / "Dockerfile" if match else None
    return found if found and found.is_file() else None
