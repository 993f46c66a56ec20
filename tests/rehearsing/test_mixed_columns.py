"""The column with values of two types, where Arrow refuses the rows of a script."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

import pytest

from trl_doctor.probes.rehearsal.errors.mixed_columns import mixed_column
from trl_doctor.probes.rehearsal.where import is_own


def raised_with(rows: Any) -> tuple[FrameType, int]:
    """The call whose line has the rows."""
    frame = sys._getframe()
    return frame, _line_of(rows)


def _line_of(rows: Any) -> int:
    return sys._getframe(1).f_lineno if rows is not None else 0


LISTS = [{"id": 1, "image": ["a.jpg"]}, {"id": 2, "image": ["b.jpg"]}]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([*LISTS, {"id": 3, "image": "c.jpg"}], ["image", "a list in row 1 and a text in row 3"]),
        ({"id": [1, 2], "n": [1, "2"]}, ["n", "a number in row 1 and a text in row 2"]),
        ([*LISTS, {"id": 3, "image": None}], []),
        (LISTS, []),
        ("rows", []),
    ],
)
def test_a_column_of_two_types(rows: Any, said: list[str]) -> None:
    assert mixed_column(*raised_with(rows)) == said


@pytest.mark.parametrize("file", ["pyarrow/table.pxi", "pyarrow/error.pyx", "<string>"])
def test_a_line_of_a_compiled_library_is_not_the_scripts(file: str) -> None:
    assert not is_own(file) and is_own("/home/user/train.py")
