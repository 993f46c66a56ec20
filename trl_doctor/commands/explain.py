"""The commands that only print: the list of rules, a rule's page, the environment."""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Iterator
from typing import Any

import click
from msgspec.structs import asdict

from trl_doctor.checkup.discover import NoSuchRule, chosen, discover
from trl_doctor.checkup.ignoring import OWN
from trl_doctor.commands.output import to_stderr
from trl_doctor.core.page import Page, page
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.rule import Bad, Rule
from trl_doctor.reports.style import terminal_width

WIDEST = 88
"""Characters in a line of a page, at most."""


def listing(form: str) -> int:
    """Print all rules with severity and title; returns the exit status."""
    discovery = discover()
    if form == "json":
        rows = [_as_json(rule) for rule in discovery.rules]
        click.echo(json.dumps(rows, indent=2, ensure_ascii=False))
    else:
        from trl_doctor.commands.tables import table

        rows_of_text = [
            (rule.name, rule.severity, "yes" if fixable(rule) else "", page(rule.doc).title)
            for rule in discovery.rules
        ]
        click.echo(table(rows_of_text, ["rule", "severity", "fixable", "what is wrong"]))
    return _problems(discovery.problems)


def explained(name: str) -> int:
    """Print a rule's page; returns the exit status."""
    discovery = discover()
    try:
        rules = chosen((*discovery.rules, *OWN), [name])
    except NoSuchRule as error:
        to_stderr(f"trl-doctor: {error}")
        return 2
    width = min(WIDEST, terminal_width()) if sys.stdout.isatty() else WIDEST
    click.echo("\n\n".join("\n".join(_page(rule, width)) for rule in rules))
    return _problems(discovery.problems)


def surroundings(python: str | None, form: str) -> int:
    """Print the target interpreter's libraries and this machine's GPUs; returns the status."""
    from trl_doctor.machine.environment import PACKAGES, BadInterpreter, environment
    from trl_doctor.machine.interpreter import interpreter_path
    from trl_doctor.probes.landlock import missing

    try:
        world = environment(interpreter_path(python) if python else None, ())
    except BadInterpreter as error:
        to_stderr(f"trl-doctor: {error}")
        return 2
    versions = {name: world.version(name) for name in PACKAGES}
    graphics, note = _gpus(world)
    unconfined = missing()
    if form == "json":
        report = {
            "python": str(world.python),
            "packages": {name: version and str(version) for name, version in versions.items()},
            "gpus": graphics,
            "note": note,
            "probes_confined": not unconfined,
        }
        click.echo(json.dumps(report, indent=2))
        return 0
    from tabulate import tabulate

    click.echo(f"python  {world.python}\n")
    click.echo(tabulate([(name, version or "–") for name, version in versions.items()]))
    if graphics:
        click.echo("\n" + tabulate(graphics, headers="keys"))
    if note:
        click.echo(f"\n{note}")
    confined = (
        f"could write elsewhere: {unconfined}"
        if unconfined
        else "cannot write elsewhere (Landlock)"
    )
    click.echo(f"\nprobes write in their own folders, and {confined}")
    return 0


def _gpus(world: Any) -> tuple[list[dict[str, Any]], str]:
    from trl_doctor.machine import gpu, torch_build

    try:
        return [gpu.row(card) for card in gpu.gpus()], torch_build.driver_note(world)
    except Unavailable as reason:
        return [], f"GPUs: {reason}"


def _problems(problems: tuple[str, ...]) -> int:
    for problem in problems:
        to_stderr(f"trl-doctor: {problem}")
    return 3 if problems else 0


def fixable(rule: Rule) -> bool:
    """Whether the rule has a fix: one of its examples shows it."""
    return any(
        isinstance(example, Bad) and example.fixed is not None for example in rule.all_examples()
    )


def _as_json(rule: Rule) -> dict[str, Any]:
    return {
        "rule": rule.name,
        "severity": rule.severity,
        "fixable": fixable(rule),
        **asdict(page(rule.doc)),
    }


def _page(rule: Rule, width: int) -> Iterator[str]:
    doc: Page = page(rule.doc)
    mends = "fixable" if fixable(rule) else "not fixable"
    yield click.style(rule.name, bold=True) + f"  ({rule.severity}, {mends})"
    yield doc.title
    parts = (("", doc.why), ("Remedy", doc.remedy), ("Versions", doc.versions))
    for name, text in (*parts, ("Seen", doc.seen)):
        for number, paragraph in enumerate(text.split("\n\n") if text else ()):
            yield ""
            head = f"{name}: " if name and not number else ""
            yield textwrap.fill(head + paragraph, width, break_long_words=False)
