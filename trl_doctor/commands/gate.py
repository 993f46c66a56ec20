"""The command `gate`: prints a CI step or hook that checks a run before its job."""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Callable, Sequence
from importlib.resources import files
from typing import Any

import click

from trl_doctor.checkup import launch_targets
from trl_doctor.checkup.opening import Options, open_run
from trl_doctor.commands.output import to_stderr
from trl_doctor.core.plain import plain
from trl_doctor.core.trainer import named, no_trainer_named
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.run import Run
from trl_doctor.files.launch.forms import OF_SHELL
from trl_doctor.files.target import NoTarget, Target, target
from trl_doctor.machine.environment import environment

LAUNCHED = frozenset({"dpo", "grpo", "kto", "reward", "rloo", "sft"})
"""Trainers that TRL's command line has."""

IN_JOB = ("kubernetes", "skypilot", "ray")
"""Gates that are a part of the job, and start the training themselves."""

FILTERS: dict[str, Callable[..., str]] = {
    "shell": shlex.quote,
    "json": json.dumps,
    "command": shlex.join,
    "regex": lambda text: re.sub(r"([.^$*+?{}\[\]\\|()])", r"\\\1", text),
}


def gate(kind: str, given: str, trainer: str | None = None) -> int:
    """Print the gate of a kind for a run file; returns the exit status."""
    stated = named(trainer) if trainer else None
    if trainer and not stated:
        to_stderr(f"trl-doctor: {plain(no_trainer_named(trainer))}")
        return 2
    if any(not char.isprintable() for char in given):
        to_stderr(f"trl-doctor: {plain(given)}: a gate cannot name a file with control characters")
        return 3
    try:
        named_target = target(given, offline=True)
        if named_target.kind == "launch":
            click.echo(_of_launch_file(kind, named_target), nl=False)
            return 0
        run = open_run(named_target, environment(None), Options(trainer=stated, offline=True))
    except NoTarget as reason:
        to_stderr(f"trl-doctor: {plain(str(reason))}")
        return 3
    if isinstance(run.trainer, Unavailable):
        to_stderr(f"trl-doctor: {plain(str(run.trainer))}")
        return 3
    click.echo(made(kind, given, run, run.trainer.name), nl=False)
    return 0


def _of_launch_file(kind: str, launcher: Target) -> str:
    """The gate of a job or another launch file. Raises `NoTarget` if its kind has no such gate."""
    parts = launch_targets.parts(launcher)
    started = dict.fromkeys(os.path.relpath(part.path) for part in parts)
    of_shell = launcher.taken_for in OF_SHELL
    if kind in IN_JOB and launcher.taken_for != "a shell script":
        name = next(iter(started))
        raise NoTarget(
            f"{launcher.given}: it is {launcher.taken_for}: `trl-doctor gate {kind} {name}` prints "
            f"the check of what it starts, to put before the training in {launcher.given}; "
            f"`trl-doctor gate github {launcher.given}` checks the file itself"
        )
    template = "slurm-job" if kind == "slurm" and of_shell else kind
    processes, _ = launch_targets.processes(parts[0])
    return _filled(template, launcher.given, ["bash", launcher.given], processes or 1)


def made(kind: str, target: str, run: Run, trainer: str) -> str:
    """The text of the gate of a run file or a script."""
    options = _options(run, trainer)
    launch = ["trl", trainer, "--config", target] if trainer in LAUNCHED else ["YOUR-COMMAND"]
    return _filled(
        kind, target, launch, run.processes or 1, options, script=run.target.kind == "script"
    )


def _filled(
    kind: str,
    target: str,
    launch: Sequence[str],
    processes: int,
    options: Sequence[str] = (),
    *,
    script: bool = False,
) -> str:
    """The template of a kind with its values."""
    from jinja2 import Environment, StrictUndefined

    values: dict[str, Any] = {
        "run": target,
        "script": script,
        "shown": plain(target),
        "launch": launch,
        "processes": processes,
        "options": "".join(f" {option}" for option in options),
        "json_options": "".join(f", {json.dumps(option)}" for option in options),
    }
    text = files("trl_doctor.commands").joinpath("gates", f"{kind}.jinja").read_text("utf-8")
    writer = Environment(undefined=StrictUndefined, keep_trailing_newline=True)
    writer.filters.update(FILTERS)
    return writer.from_string(text).render(values)


def _options(run: Run, trainer: str) -> list[str]:
    """The options that the gate must repeat, because only this machine or command line has them."""
    words = []
    if run.processes and run.processes_assumed:
        words += ["--processes", str(run.processes)]
    if run.trainer_from.startswith(("the name of", "--trainer")):
        words += ["--trainer", trainer]
    return words
