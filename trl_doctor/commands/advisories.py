"""The command that lists the known bugs of a release of TRL."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

import click
from packaging.version import Version

from trl_doctor.commands.output import to_stderr
from trl_doctor.facts.known_bugs import known_versions
from trl_doctor.facts.library.advisories import Advisory, advisories
from trl_doctor.machine.environment import BadInterpreter, Environment, environment
from trl_doctor.machine.interpreter import interpreter_path

HEAD = ("id", "affected trl", "trainers", "fixed in", "effect", "what is wrong")
KINDS = {"silent": "silent", "raises": "an error"}


def listed(python: str | None, stated: Sequence[str], everything: bool, form: str) -> int:
    """Print the advisories of the installed or stated release, or all; returns the status."""
    try:
        world = environment(interpreter_path(python) if python else None, stated)
    except BadInterpreter as error:
        to_stderr(f"trl-doctor: {error}")
        return 2
    trl = world.version("trl")
    if trl is None and not everything:
        to_stderr(
            "trl-doctor: the version of trl is not known: use --with trl==VERSION, --python PATH, "
            "or --all"
        )
        return 2
    shown = [advisory for advisory in advisories() if everything or _concerns(advisory, trl, world)]
    if form == "json":
        click.echo(json.dumps([advisory.osv for advisory in shown], indent=2, ensure_ascii=False))
        return 0
    from tabulate import tabulate

    if shown:
        rows = [list(_row(advisory, None if everything else trl)) for advisory in shown]
        click.echo(tabulate(rows, headers=HEAD))
    of = "all releases of trl" if everything else f"trl {trl}"
    click.echo(f"{chr(10) if shown else ''}{len(shown) or 'no'} known bugs of {of}")
    return 0


def _concerns(advisory: Advisory, trl: Version | None, world: Environment) -> bool:
    """Whether a release has the bug, and no other package that is known rules it out."""
    if trl is None or not any(span.has(trl) for span in advisory.affected):
        return False
    return advisory.fits_libraries(known_versions(advisory, world)) is not False


def _row(advisory: Advisory, trl: Version | None) -> Iterator[str]:
    spans = [span for span in advisory.affected if trl is None or span.has(trl)]
    others = "".join(f"; {name} {versions}" for name, versions in advisory.libraries.items())
    yield advisory.id
    yield " or ".join(dict.fromkeys(map(str, spans))) + others
    yield ", ".join(dict.fromkeys(name for span in spans for name in span.trainers))
    yield ", ".join(dict.fromkeys(str(span.fixed) for span in spans if span.fixed)) or "–"
    yield KINDS[advisory.kind]
    yield advisory.summary
