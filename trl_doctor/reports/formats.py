"""The formats of reports by name; each is a module of its own, imported when it is asked for."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module

from trl_doctor.checkup.report import Report
from trl_doctor.reports.style import Style

MODULES = {
    "text": "text",
    "concise": "concise",
    "json": "json_v1",
    "json-v1": "json_v1",
    "sarif": "sarif",
    "github": "github",
    "gitlab": "gitlab",
    "junit": "junit",
    "markdown": "markdown",
    "html": "html",
}
FORMATS = tuple(MODULES)
STYLED = ("text", "concise")
"""Formats for terminals: they take colours and a width."""


def renderer(form: str, style: Style) -> Callable[[Report], str]:
    """The function that makes a report in this format."""
    render: Callable[..., str] = import_module(f"trl_doctor.reports.{MODULES[form]}").render
    return partial(render, style=style) if form in STYLED else render
