"""The command `trust`: trusts the settings of a project, or stops trusting them."""

from __future__ import annotations

from pathlib import Path

import click

from trl_doctor.commands.output import to_stderr
from trl_doctor.core.plain import plain
from trl_doctor.machine import trust as records
from trl_doctor.machine.settings import BadSettings, of_project


def trust(folder: Path, *, revoke: bool) -> int:
    """Run `trl-doctor trust`; returns the exit status."""
    try:
        settings_file = of_project(folder.absolute())
        if settings_file.file is None:
            raise BadSettings(f"{folder}: there are no settings here or above")
        if not settings_file.python:
            click.echo(
                f"{plain(str(settings_file.file))} names no program: there is nothing to trust"
            )
            return 0
        (records.distrust if revoke else records.trust)(settings_file.file, settings_file.python)
    except BadSettings as problem:
        to_stderr(f"trl-doctor: {plain(str(problem))}")
        return 2
    except records.CannotTrust as problem:
        to_stderr(f"trl-doctor: {plain(str(problem))}")
        return 3
    may = "may no longer" if revoke else "may now"
    click.echo(f"{plain(str(settings_file.file))} {may} start {plain(settings_file.python)}")
    return 0
