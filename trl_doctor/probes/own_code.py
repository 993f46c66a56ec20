"""What a script gives its trainer for the rows, made by the statements that it needs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from .child import line
from .refusal import Refused
from .reward_functions.place import place
from .script_part import value_of


def own_code(request: dict[str, Any]) -> dict[str, Any]:
    """The values by the names of the trainer's arguments; raises `Refused` if one is not made.

    They are made in a folder of their own, in which the script's relative paths lead to its files.
    """
    here, made = Path.cwd(), dict[str, Any]()
    (here / "own").mkdir()
    os.chdir(here / "own")
    try:
        with place(request["roots"]):
            for name, part in request["own"].items():
                made[name] = value_of(part, {})
    except Exception as error:
        raise Refused(f"the script's {name} cannot be made alone: {line(error)}") from error
    finally:
        os.chdir(here)
    return made
