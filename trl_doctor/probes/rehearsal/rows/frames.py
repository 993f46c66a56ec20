"""What a script reads with pandas, as it was read."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from types import ModuleType
from typing import Any

from .. import patching
from ..where import called_by_user
from .sources import FILES, MOST, Row

READERS = (
    "read_csv", "read_excel", "read_feather", "read_json", "read_orc", "read_parquet",
    "read_pickle", "read_sql", "read_sql_query", "read_table",
)  # fmt: skip


class Frames:
    """Keeps the first rows of each frame: the script may change the frame itself."""

    def __init__(self) -> None:
        self.read: list[list[Row]] = []

    def act(self, pandas: ModuleType) -> None:
        """Watch the readers of pandas."""
        for name in READERS:
            patching.around(pandas, name, self._read)

    def _read(self, original: Callable[..., Any], *args: Any, **more: Any) -> Any:
        frame = original(*args, **more)
        if len(self.read) < FILES and called_by_user():
            with contextlib.suppress(Exception):  # chunks, or columns that are no texts
                rows = frame.head(MOST).to_dict("records")
                self.read.append([{str(name): cell for name, cell in row.items()} for row in rows])
        return frame
