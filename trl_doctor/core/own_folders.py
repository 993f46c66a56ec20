"""The folders in which trl-doctor keeps what is its own, by the XDG rules on every system.

Not platformdirs: its import takes 15 ms, a twelfth of a whole check.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

Kind = Literal["config", "state", "cache"]
HOMES = {"config": "~/.config", "state": "~/.local/state", "cache": "~/.cache"}


class NoHome(RuntimeError):
    """The variable is not set, and the user has no home folder."""


def remedy(kind: Kind) -> str:
    """What to do where the folder of a kind cannot be used."""
    return f"set {_variable(kind)} to a folder of yours"


def own_folder(kind: Kind) -> Path:
    """trl-doctor's folder of a kind, for example `~/.cache/trl-doctor`; it need not exist.

    A variable that holds no absolute path counts as not set, as the XDG specification says. Raises
    `NoHome`.
    """
    folder = Path(os.environ.get(_variable(kind), ""))
    try:
        above = folder if folder.is_absolute() else Path(HOMES[kind]).expanduser()
    except RuntimeError as error:
        raise NoHome(f"there is no home folder: {remedy(kind)}") from error
    return above / "trl-doctor"


def _variable(kind: Kind) -> str:
    return f"XDG_{kind.upper()}_HOME"
