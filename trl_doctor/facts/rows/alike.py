"""Whether the `datasets` library gives a function the cells of a file as the file has them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from trl_doctor.core.finding import Json

MOST = 60_000
"""Cells that are looked at; of more it is not known."""

DATE = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:.*)?\s*", re.DOTALL)
"""A text that the library reads as a time, if all texts of its column are such."""


def are_alike(rows: Sequence[Mapping[str, Json]]) -> bool:
    """Whether the library hands the cells of a file to a function as the file has them.

    It gives all cells of a column one type: of 1 and 2.5 it makes 1.0, of "2026-01-01" a time.
    """
    kinds = dict[tuple[str, ...], set[str]]()
    open_cells: list[tuple[tuple[str, ...], Json]] = [((), dict(row)) for row in rows]
    number = 0
    while open_cells:
        if (number := number + 1) > MOST:
            return False
        path, cell = open_cells.pop()
        if isinstance(cell, dict):
            open_cells += [((*path, key), inner) for key, inner in cell.items()]
        elif isinstance(cell, list):
            open_cells += [((*path, ""), inner) for inner in cell]
        if cell is not None:
            is_time = isinstance(cell, str) and DATE.fullmatch(cell)
            kinds.setdefault(path, set()).add("time" if is_time else type(cell).__name__)
    return all((len(found) == 1 and found != {"time"}) or found == {"str", "time"}
               for found in kinds.values())  # fmt: skip
