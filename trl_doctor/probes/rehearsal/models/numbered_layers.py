"""Small models keep all their layers where the script names layers by their numbers."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from ...small_model import shrink
from ...small_model.depth import whole_depth
from ..where import own_files

NUMBERED = re.compile(
    r"(?:\blayers?|\bblocks?|\.h)(?:\\?\.[\d{(%'\"]|\[)|num_hidden_layers|\bn_layers?\b"
    r"|layers_to_transform"
)
"""Code that chooses layers: in a few layers it would choose none, or others."""


def shrunken(request: dict[str, Any], role: str, into: Path, share: float | None) -> shrink.Tiny:
    """The small model of a role, with all its layers if the script's code counts them."""
    with whole_depth(any(map(names_layers, own_files()))):
        return shrink.shrunken(request, role, into, share)


def names_layers(file: str) -> bool:
    """Whether the code of a file names layers by their numbers, as to train the last ones."""
    try:
        return NUMBERED.search(Path(file).read_text("utf-8", "replace")) is not None
    except OSError:
        return False
