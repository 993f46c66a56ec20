"""The events that are told, those that are read, and those that are described are the same."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from trl_doctor.probes.rehearsal.events import EVENTS

PACKAGE = Path(__file__).parents[2] / "trl_doctor"


def first_texts(folder: str, *names: str) -> Iterator[str]:
    """The texts that calls of these methods begin with."""
    for file in (PACKAGE / folder).rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            words = node.args if isinstance(node, ast.Call) and _method(node) in names else []
            for word in words:
                if isinstance(word, ast.Constant) and isinstance(word.value, str):
                    yield word.value


def _method(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else ""


def test_each_event_that_is_told_is_described() -> None:
    told = set(first_texts("probes/rehearsal", "add"))
    assert len(told) > 20
    assert told == set(EVENTS)


def test_each_event_that_is_read_is_described() -> None:
    read = set(first_texts("rehearsing", "of", "last"))
    assert len(read) > 15
    assert read <= set(EVENTS)
