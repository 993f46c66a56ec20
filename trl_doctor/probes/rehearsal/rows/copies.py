"""Rows that a script puts together with copies of them, and splits then."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any

from .. import patching
from .compared import one_test
from .origins import Origin, known, note

COPIES = "copies"

_numbers = itertools.count(1)


def act(module: ModuleType) -> None:
    """Patches of the module that puts data sets together."""
    patching.around(module, "concatenate_datasets", _joined)


def _joined(original: Callable[..., Any], parts: Iterable[Any], *args: Any, **more: Any) -> Any:
    """Data sets that the script puts together; noted if two have a row for each row of one."""
    parts = list(parts)
    result = original(parts, *args, **more)
    # the same rows, whatever map has made of them
    found = [origin._replace(maps=()) for part in parts if (origin := known(part))]
    if len({*found}) < len(found) and not args and not more.get("axis"):
        note(result, Origin(f"{COPIES} {next(_numbers)}"))
    return result


def parts_of_copies(rows: Any, evaluation: Any) -> bool:
    """Whether both are parts of rows that stood there several times before."""
    learned, tried = known(rows), known(one_test(evaluation))
    same = learned is not None and tried is not None and learned.source == tried.source
    return same and learned is not None and learned.source.startswith(COPIES)
