"""One HTML file without other resources: the stages of the run, the findings, the measurements."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from trl_doctor.checkup.measurement import Measurement
from trl_doctor.checkup.report import Entry, Report, TargetReport
from trl_doctor.checkup.subjects import Subject, subject_of
from trl_doctor.core.plain import plain
from trl_doctor.core.version import __version__
from trl_doctor.reports.explained import (
    explained,
    in_one_line,
    needs_remedy,
    shows_line,
    stage_lines,
    totals,
    trainer_of,
)
from trl_doctor.reports.first_row import visible
from trl_doctor.reports.naming import name_of

if TYPE_CHECKING:
    from jinja2 import Template
    from markupsafe import Markup

STAGES: dict[str, tuple[str, ...]] = {
    "Files": ("files", "model", "tokenizer", "chat template", "data"),
    "Run": ("arguments", "batch", "adapter", "libraries", "hardware"),
    "Trainer": ("training step", "rewards", "generation", "ppo"),
    "Engine": ("vllm",),
}
"""The stages of a run, with the subjects of each; all other subjects belong to the stage "run"."""

MARKS = {"bad": "✗", "warning": "!", "good": "✓", "unknown": "–"}
WORDS = {"passed": "good", "failed": "bad", "incomplete": "unknown"}


CODE = re.compile(r"`([^\s`](?:[^`\n]*[^\s`])?)`")
"""Code in a sentence."""


class Stage(Struct, frozen=True):
    """A part of the way, with its subjects and the findings on each."""

    name: str
    subjects: tuple[tuple[Subject, tuple[Entry, ...]], ...]


class Bar(Struct, frozen=True):
    """A bar of a drawing, as a share of the longest; `over` where it passes the limit."""

    label: str
    shown: str
    share: float
    over: bool = False


def render(report: Report) -> str:
    """The page."""
    variables: dict[str, Any] = {
        "report": report,
        "name_of": name_of,
        "version": __version__,
        "marks": MARKS,
        "words": WORDS,
        "stages": stages,
        "bars": bars,
        "drawn_limit": drawn_limit,
        "explained": explained,
        "needs_remedy": needs_remedy,
        "shows_line": shows_line,
        "visible": visible,
        "stage_lines": stage_lines,
        "trainer_of": trainer_of,
        "in_one_line": in_one_line,
        "totals": totals,
    }
    return _template().render(**variables)


@lru_cache(1)
def _template() -> Template:
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined
    )
    environment.filters["plain"] = plain
    environment.filters["prose"] = prose
    source = files("trl_doctor.reports").joinpath("report.html.jinja").read_text("utf-8")
    return environment.from_string(source)


def prose(text: str) -> Markup:
    """A sentence, with what is between backticks as code."""
    from markupsafe import Markup, escape

    return Markup(CODE.sub(r"<code>\1</code>", str(escape(plain(text)))))


def stages(target: TargetReport) -> Iterator[Stage]:
    """The stages from files to trainer to engine that concern this target."""
    by_rule = {entry.rule: entry for entry in target.roots}
    by_subject: dict[str, list[Entry]] = {}
    for entry in target.entries:
        shown = entry if entry.cause is None else by_rule.get(entry.cause)
        if shown is not None:
            by_subject.setdefault(subject_of(entry.rule), []).append(shown)
    staged = {name for names in STAGES.values() for name in names}
    for stage, names in STAGES.items():
        theirs = [
            (subject, tuple(by_subject.get(subject.name, ())))
            for subject in target.subjects
            if subject.name in names or (stage == "Run" and subject.name not in staged)
        ]
        yield Stage(stage, tuple(theirs))


def bars(measured: Measurement) -> Iterator[Bar]:
    """The values of a measurement, as bars."""
    if measured.kind == "parts":
        whole = max(sum(value for _, value in measured.values), measured.limit or 0) or 1
    else:
        whole = max((value for _, value in measured.values), default=0) or 1
    for label, value in measured.values:
        shown = f"{value:.0f}" if measured.kind == "histogram" else f"{value:.3g}"
        yield Bar(label, shown, max(0.0, min(value / whole, 1.0)))


def drawn_limit(measured: Measurement) -> str:
    """What the limit is, in words; empty if there is none."""
    return "" if measured.limit is None else f"limit {measured.limit:,.4g} {measured.unit}"
