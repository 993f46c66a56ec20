"""What a script gives its trainer for the rows, made by the statements that it needs."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from .alone.script_part import made
from .child import line
from .refusal import Refused


def own_code(request: dict[str, Any]) -> dict[str, Any]:
    """The values by the names of the trainer's arguments; raises `Refused` if one is not made.

    They are made in a folder of their own, in which the script's relative paths lead to its files.
    """
    here, values = Path.cwd(), dict[str, Any]()
    (here / "own").mkdir()
    os.chdir(here / "own")
    try:
        for name, part in request["own"].items():
            values[name] = made(part, request["roots"], lambda given: given)
    except Exception as error:
        raise Refused(f"the script's {name} cannot be made alone: {line(error)}") from error
    finally:
        os.chdir(here)
    sys.path[:0] = request["roots"]  # for what is imported where the code is called
    return values
