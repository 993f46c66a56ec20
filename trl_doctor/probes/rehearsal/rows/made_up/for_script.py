"""Rows for a data set that is not here, as the running script will take them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from ...order import Order
from ...where import is_own
from . import columns
from .learnt import learnt
from .rows import made
from .shapes import shapes
from .well_known import well_known

MOST = 16
"""Rows that are made."""


def rows_for_script(name: str, order: Order) -> list[dict[str, Any]]:
    """Rows of a data set by its name, with the columns that the user or the script names."""
    script, known = _script(), learnt(order.scratch)
    names = order.columns
    if not names:
        read = columns.columns(name, script, _trainer_of_command())
        names = tuple(dict.fromkeys((*read, *known.columns)))
    values = {} if order.columns else well_known(name)
    count = min(MOST, order.rows)
    return made(names, count, columns.parsed(script), shapes(script), values, known.form)


def _script() -> str:
    """The file of the user's script; "" if that is a library's."""
    script = getattr(sys.modules.get("__main__"), "__file__", None) or ""
    return script if is_own(script) else ""


def _trainer_of_command() -> str:
    """The trainer that `trl grpo` means; for other scripts their source shows it."""
    command = Path(sys.argv[0]).name if sys.argv else ""
    inside = "trl" in Path(sys.argv[0]).parts if sys.argv else False
    return command.replace(".py", "").upper() if inside else ""
