"""Runs the user's command at one scale, and reads what its processes wrote down."""

from __future__ import annotations

import os
from pathlib import Path

from msgspec.structs import replace

from trl_doctor.asking.oracle import Oracle
from trl_doctor.asking.variables import stand_ins
from trl_doctor.core.question import Answer, Pending, Question
from trl_doctor.core.sizes import GIB
from trl_doctor.files.hub.cache import cache_root
from trl_doctor.machine.environment import Environment
from trl_doctor.probes.answers.rehearse import RehearseAnswer
from trl_doctor.rehearsing.command.command import Command
from trl_doctor.rehearsing.command.imports import imports
from trl_doctor.rehearsing.events import Events, read_events
from trl_doctor.rehearsing.scale import STEPS, Scale

MARGIN = 12.0
"""Seconds before the end of a probe's time at which the command is ended."""


def events_of(command: Command, scale: Scale, oracle: Oracle, environment: Environment) -> Events:
    """Run the command; what its processes wrote down."""
    answer = _answer(command, scale, oracle, environment.python)
    records = Path(answer.folder) / "work/records"
    events = read_events(records, answer, command.folder, command.notebook)
    inside = dict.fromkeys(command.files, command.launched_by) if command.launched_by else {}
    return replace(
        events,
        given=command.given,
        bare=command.bare,
        python=environment.given,
        inside=inside,
    )


def _forks(command: Command, scale: Scale, python: Path) -> int:
    """How many forks of a process with the libraries run the script; 0 if it starts by itself."""
    again, count = scale.turn is not None, scale.processes or 1
    if command.bare:
        return count if again or count > 1 else 0
    return int(again and command.runs_script(python))


def _answer(command: Command, scale: Scale, oracle: Oracle, python: Path) -> Answer[RehearseAnswer]:
    """The answer of the probe that runs the command."""
    conditions = oracle.conditions
    path = f"{python.parent}{os.pathsep}{os.environ.get('PATH', '')}"
    forks = _forks(command, scale, python)
    question = Question("rehearse", "the rehearsal", {
        "turn": scale.turn,
        "forks": forks,
        "command": list(command.arguments),
        "variables": {"HF_HUB_CACHE": str(cache_root()), "PATH": path, **stand_ins(os.environ),
                      **command.variables},
        "own": str(command.folder),
        "top": str(Path.cwd()),
        "files": dict(command.notebook.files if command.notebook else command.files),
        "seconds": max(5.0, conditions.seconds - MARGIN),
        "steps": STEPS,
        "rows": scale.rows,
        "wide": scale.wide,
        "columns": list(scale.columns),
        "stand_ins": dict(scale.stand_ins),
        "fetched": dict(scale.fetched),
        "trusted": conditions.trust_remote_code,
        "processes": scale.processes or 0,
        "asked": command.processes or 0,
        "disk": 16 * GIB,
    }, RehearseAnswer, imports(command.text) if forks else ())  # fmt: skip
    while True:
        try:
            return oracle.ask(question)
        except Pending:
            oracle.finish()
