"""The options of the commands that neither examine nor rehearse a run, and one call each."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from trl_doctor.commands.options import FORM, PYTHON, STATED, TRAINER

GATES = click.Choice(["slurm", "kubernetes", "skypilot", "github", "gitlab", "pre-commit", "ray"])


@click.command(short_help="Show the resolved run and the launch command.")
@click.argument("target", metavar="TARGET")
@TRAINER
@PYTHON
@FORM
def show(target: str, trainer: str | None, python: str | None, form: str) -> None:
    """Show the resolved run: models, tokens, batch, steps, TRL's defaults, the launch command."""
    from trl_doctor.commands.show import show

    sys.exit(show(target, trainer, python, form))


@click.command()
@click.argument("kind", type=GATES)
@click.argument("run", metavar="RUN_FILE")
@TRAINER
def gate(kind: str, run: str, trainer: str | None) -> None:
    """Print a CI step or hook that checks a run before its job."""
    from trl_doctor.commands.gate import gate

    sys.exit(gate(kind, run, trainer))


@click.command()
@click.argument("target", default=".")
@click.option("--force", is_flag=True, help="Restore files even if they have changed since.")
def undo(target: str, force: bool) -> None:
    """Undo the last repair of a run file or a model folder."""
    from trl_doctor.commands.check import undo

    sys.exit(undo(Path(target), force=force))


@click.command(short_help="Trust a project's settings to name Python.")
@click.argument("folder", default=".")
@click.option("--revoke", is_flag=True, help="Stop trusting them.")
def trust(folder: str, revoke: bool) -> None:
    """Trust the settings of a project to name the Python interpreter."""
    from trl_doctor.commands.trust import trust

    sys.exit(trust(Path(folder), revoke=revoke))


@click.command()
@FORM
def rules(form: str) -> None:
    """List the rules."""
    from trl_doctor.commands.explain import listing

    sys.exit(listing(form))


@click.command(short_help="Print the page of a rule.")
@click.argument("rule")
def explain(rule: str) -> None:
    """Print the page of a rule: the problem, the remedy, the affected versions."""
    from trl_doctor.commands.explain import explained

    sys.exit(explained(rule))


@click.command(short_help="List the known bugs of a release of TRL.")
@PYTHON
@STATED
@click.option("--all", "everything", is_flag=True, help="List the bugs of every release.")
@click.option("--output", "-o", "form", type=click.Choice(["text", "json"]), default="text")
def advisories(**options: Any) -> None:
    """List the known bugs of the installed TRL, or of --with trl==VERSION; in JSON as OSV."""
    from trl_doctor.commands.advisories import listed

    sys.exit(listed(**options))


@click.command(short_help="Show the libraries and the GPUs of this machine.")
@PYTHON
@FORM
def env(python: str | None, form: str) -> None:
    """Show the libraries of the target interpreter and the GPUs of this machine."""
    from trl_doctor.commands.explain import surroundings

    sys.exit(surroundings(python, form))


OTHERS = (show, gate, undo, trust, rules, explain, advisories, env)
