"""Data sets that a script puts together, and what it takes of them then."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any

from .. import patching
from .compared import one_test
from .origins import FIRST, Origin, Step, known, note

COPIES, OTHERS, TURNS = "copies", "data sets", "in turns"
"""How the source begins of what was put together: with a row for each row of a part, or not."""

PARTS: dict[str, list[Any]] = {}
"""The data sets that were put together, by the source of the result."""

IN_TURNS: dict[str, tuple[list[Any], str]] = {}
"""Those of which it has a row of each by turns, and when it ends."""

_numbers = itertools.count(1)


def act(module: ModuleType) -> None:
    """Patches of the module that puts data sets together."""
    patching.around(module, "concatenate_datasets", _joined)
    patching.around(module, "interleave_datasets", _by_turns)


def _joined(original: Callable[..., Any], parts: Iterable[Any], *args: Any, **more: Any) -> Any:
    """Data sets that the script puts together, one after the other."""
    parts = list(parts)
    result = original(parts, *args, **more)
    if args or more.get("axis"):
        return result
    # the same rows, whatever map has made of them
    found = [origin._replace(maps=()) for part in parts if (origin := known(part))]
    source = f"{COPIES if len({*found}) < len(found) else OTHERS} {next(_numbers)}"
    PARTS[source] = parts
    note(result, Origin(source))
    return result


def _by_turns(original: Callable[..., Any], parts: Iterable[Any], *args: Any, **more: Any) -> Any:
    """A row of each data set, and again; nobody counts them where chance says whose row is next."""
    parts = list(parts)
    result = original(parts, *args, **more)
    if not args and more.get("probabilities") is None:
        source = f"{TURNS} {next(_numbers)}"
        IN_TURNS[source] = parts, str(more.get("stopping_strategy", "first_exhausted"))
        note(result, Origin(source))
    return result


def count(source: str, of_part: Callable[[Any], int | None]) -> int | None:
    """How many rows were put together; None if that is not known, or if this was not."""
    parts, ends = IN_TURNS.get(source) or (PARTS.get(source, []), "")
    sizes = [size for part in parts if (size := of_part(part)) is not None]
    if not parts or len(sizes) < len(parts):
        return None
    each = {"first_exhausted": min(sizes), "all_exhausted": max(sizes)}.get(ends)
    return sum(sizes) if each is None else each * len(parts)


def parts_of_copies(rows: Any, evaluation: Any) -> bool:
    """Whether both are parts of rows that stood there several times before."""
    learned, tried = known(rows), known(one_test(evaluation))
    same = learned is not None and tried is not None and learned.source == tried.source
    return same and learned is not None and learned.source.startswith(COPIES)


def cut_off(rows: Any, count: Callable[[Any], int | None]) -> list[str]:
    """The call that leaves no row of a data set that was put together with others; else empty.

    After the call come the number of all rows, and which data sets have no row left. `count` knows
    how many rows the job has in place of these.
    """
    origin = known(rows)
    parts = PARTS.get(origin.source, ()) if origin else ()
    if not origin or not parts or not origin.steps or not _is_range(origin.steps[0]):
        return []
    sizes = [count(part) for part in parts]
    ends = list(itertools.accumulate(size or 0 for size in sizes))
    if not all(sizes):
        return []
    spans = [range(end - (size or 0), end) for end, size in zip(ends, sizes)]
    # what was put together to be changed as a whole is taken apart again: each part has its use
    taken = FIRST[origin.source]
    lost = [
        str(n) for n, span in enumerate(spans, 1) if not any(_takes(step, span) for step in taken)
    ]
    return [origin.steps[0].call, f"{ends[-1]:,}", " and ".join(lost)] if lost else []


def _is_range(step: Step) -> bool:
    return isinstance(step.rows, range) and step.rows.step == 1 and not step.part


def _takes(step: Step, span: range) -> bool:
    """Whether a step may take a row of these."""
    if step.rows is None:
        return True
    if isinstance(step.rows, range) and step.rows.step == 1:
        return max(step.rows.start, span.start) < min(step.rows.stop, span.stop)
    return any(row in span for row in step.rows)
