"""The command that lists the known bugs of a release of TRL."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

import click
from packaging.version import Version

from trl_doctor.commands.output import to_stderr
from trl_doctor.commands.tables import table
from trl_doctor.facts.known_bugs import known_versions
from trl_doctor.facts.library.advisories import Advisory, Affected, advisories
from trl_doctor.facts.library.releases import requirement
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
    if shown:
        rows = [list(_row(advisory, None if everything else trl)) for advisory in shown]
        click.echo(table(rows, HEAD))
    of = "all releases of trl" if everything else f"trl {trl}"
    click.echo(f"{chr(10) if shown else ''}{len(shown) or 'no'} known bugs of {of}")
    return 0


def _concerns(advisory: Advisory, trl: Version | None, world: Environment) -> bool:
    """Whether a release has the bug, and no other package that is known rules it out."""
    if trl is None or not any(span.has(trl) for span in advisory.affected):
        return False
    versions = known_versions(advisory, world)
    return advisory.fits_libraries(versions) is not False and not any(
        name not in versions and _ruled_out(trl, name, specifier)
        for name, specifier in advisory.libraries.items()
    )


def _ruled_out(trl: Version, name: str, specifier: str) -> bool:
    """Whether this trl needs a newer release of a package than those with the bug."""
    from packaging.specifiers import InvalidSpecifier, SpecifierSet

    least = max(
        (Version(part.version) for part in requirement(trl, name) or () if part.operator == ">="),
        default=None,
    )
    try:
        parts = SpecifierSet(specifier)
    except InvalidSpecifier:  # "absent"
        return False
    return least is not None and any(
        (part.operator == "<" and Version(part.version) <= least)
        or (part.operator in ("<=", "==") and Version(part.version.rstrip(".*")) < least)
        for part in parts
    )


def _row(advisory: Advisory, trl: Version | None) -> Iterator[str]:
    spans = [span for span in advisory.affected if trl is None or span.has(trl)]
    others = "".join(f"; {name} {versions}" for name, versions in advisory.libraries.items())
    yield advisory.id
    yield _releases(spans) + others
    yield ", ".join(dict.fromkeys(name for span in spans for name in span.trainers))
    yield ", ".join(dict.fromkeys(str(span.fixed) for span in spans if span.fixed)) or "–"
    yield KINDS[advisory.kind]
    yield advisory.summary


def _releases(spans: Sequence[Affected]) -> str:
    """The affected releases; with the trainers of each range if the ranges differ."""
    ranges = dict.fromkeys(map(str, spans))
    if len(ranges) == 1:
        return next(iter(ranges))
    trainers = {
        each: ", ".join(name for span in spans if str(span) == each for name in span.trainers)
        for each in ranges
    }
    return "; ".join(f"{each} ({names})" for each, names in trainers.items())
