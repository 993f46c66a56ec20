"""The table of SECURITY.md: what each fault of a probe leaves behind."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from left_behind import FAULTS, HEAD, left_by

PAGE = (Path(__file__).parents[2] / "SECURITY.md").read_text()
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="/proc and /dev/shm are Linux's")


def test_the_table_has_each_fault() -> None:
    table = PAGE[PAGE.index(f"| {' | '.join(HEAD)} |") :].split("\n\n")[0].splitlines()[2:]
    assert [row.split(" | ")[0].removeprefix("| ") for row in table] == list(FAULTS)


@pytest.mark.parametrize("fault", FAULTS)
def test_what_a_fault_leaves_is_in_the_table_of_the_page(fault: str, tmp_path: Path) -> None:
    assert left_by(fault, tmp_path).row(fault) in PAGE.splitlines()
