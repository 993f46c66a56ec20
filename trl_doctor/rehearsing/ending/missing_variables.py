"""Environment variables that a rehearsed script reads, and that are not set here."""

from __future__ import annotations

import ast
import os
import re
import shlex

from msgspec.structs import replace

from trl_doctor.core.plain import listed
from trl_doctor.rehearsing.code_line import CodeLine
from trl_doctor.rehearsing.command.command import Command
from trl_doctor.rehearsing.ending.failure import Failure
from trl_doctor.rehearsing.events import Event, Events
from trl_doctor.rehearsing.syntax import parsed

LAUNCHERS = ("LOCAL_RANK", "RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")
"""What torchrun and accelerate set for each process."""

UNSET = re.compile(r"the environment variables? (.+) (?:is|are) not set here")
"""What is said of variables that are missing."""

EXPECTED = re.compile(r"environment variable (\w+) expected, but not set")
"""What torch says where it looks for the other processes."""


def unset(events: Events, event: Event, at: CodeLine | None) -> Failure | None:
    """A variable that is missing, with the command that sets it, and all others of the script."""
    match = EXPECTED.search(event["message"])
    names = [match[1]] if match else list(event.get("facts", {}).get("variables", ()))
    if not names:
        return None
    if names[0] in LAUNCHERS:
        return _launched(names[0], events, at)
    others = _read(at.script) if at else []
    names += [name for name in others if name not in (*names, *LAUNCHERS)]
    noun, verb = ("variable", "is") if len(names) == 1 else ("variables", "are")
    values = " ".join(f"{name}=…" for name in names)
    return Failure(
        "machine",
        f"the environment {noun} {listed(names)} {verb} not set here",
        f"set what the job has: {values} {_again(events)}",
        at,
        "variable",
    )


def _launched(name: str, events: Events, at: CodeLine | None) -> Failure:
    message = f"the environment variable {name} is not set: a launcher sets it for each process"
    remedy = "name the launcher too, as the job does"
    if events.bare and not events.notebook:
        remedy += f": {_start(events)} -- torchrun --nproc_per_node 2 {events.given}"
    return Failure("machine", message, remedy, at, "variable")


def _again(events: Events) -> str:
    """The command that was rehearsed, as a user writes it."""
    return f"{_start(events)} {'' if events.bare else '-- '}{events.given}".rstrip()


def _start(events: Events) -> str:
    """The command without what is rehearsed, with the interpreter that the user named."""
    python = f" --python {shlex.quote(events.python)}" if events.python else ""
    return f"trl-doctor rehearse{python}"


def _read(source: str) -> list[str]:
    """The variables that a script reads with `os.environ[…]`, sets nowhere, and that are unset."""
    reads: dict[str, bool] = {}
    for node in ast.walk(parsed(source)):
        if isinstance(node, ast.Subscript) and _is_environment(node.value):
            name = node.slice.value if isinstance(node.slice, ast.Constant) else None
            if isinstance(name, str):
                reads[name] = reads.get(name, True) and isinstance(node.ctx, ast.Load)
    return [name for name, only_read in reads.items() if only_read and name not in os.environ]


def _is_environment(node: ast.expr) -> bool:
    return ast.unparse(node) in ("os.environ", "environ")


def not_exported(ended: Failure | None, command: Command) -> Failure | None:
    """The same failure as a mistake of the launch file, if it sets the variables and keeps them."""
    launch, launcher = command.launch, command.launched_by
    missing = UNSET.fullmatch(ended.message) if ended and ended.kind == "variable" else None
    if ended is None or missing is None or launch is None or launcher is None:
        return ended
    first, *others = (name for name in missing[1].replace(",", " ").split() if name != "and")
    if first not in launch.kept:
        return ended
    names = [first, *(name for name in others if name in launch.kept)]
    verb, them = ("is", "it") if len(names) == 1 else ("are", "them")
    message = (
        f"{listed(names)} {verb} set in {launcher.name}:{launch.kept[names[0]].line}, but not "
        f"exported: the script does not get {them}"
    )
    return replace(
        ended, whose="script", message=message, remedy=f"write `export {' '.join(names)}` there"
    )
