"""Tables of the commands: as wide as they need for programs, as wide as the terminal on one."""

from __future__ import annotations

import sys

import pytest

from trl_doctor.commands.tables import by_name, table

HEADERS = ["rule", "fixable", "what is wrong"]
ROWS = [["a-rule", "yes", "It is " + "very " * 20 + "long."], ["another", "", "It is short."]]


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "60")


@pytest.mark.usefixtures("terminal")
def test_a_terminal_that_is_too_narrow_gets_a_paragraph_for_each_row() -> None:
    lines = table(ROWS, HEADERS).splitlines()
    assert max(map(len, lines)) <= 60
    assert lines[0] == "a-rule · fixable"
    assert lines[-2:] == ["another", "  It is short."]
    values = by_name({"launch": "word " * 30, "eos": "1"}).splitlines()
    assert max(map(len, values)) <= 60
    assert (values[0][:12], values[1][:12], values[-1]) == (
        "launch  word",
        "        word",
        "eos     1",
    )


@pytest.mark.usefixtures("terminal")
def test_a_terminal_that_is_wide_enough_gets_a_table() -> None:
    assert len(table(ROWS[1:], HEADERS).splitlines()) == 3


def test_a_program_gets_one_line_for_each_row() -> None:
    assert len(table(ROWS, HEADERS).splitlines()) == 2 + len(ROWS)
    assert len(by_name({"launch": "word " * 100}).splitlines()) == 1
