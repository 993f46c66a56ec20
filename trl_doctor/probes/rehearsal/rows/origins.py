"""How data sets were made of others: by which rows, in which order.

A rehearsal has the first rows only, so it cannot always count which rows two data sets share. What
the script asked for shows whether anything keeps them apart.
"""

from __future__ import annotations

import copy
import itertools
import re
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any, NamedTuple

from .. import patching
from .sources import one_file

ATTRIBUTE = "_trl_doctor_origin"
ENDLESS = 2**62
MOST = 200_000
"""The most numbers of rows of a list that are kept."""

PART = re.compile(r"(\w+)\[(\d*)(%?):(\d*)(%?)\]")
"""A part of a split, as `load_dataset` takes it."""


class Step(NamedTuple):
    """Some rows of a data set, or all in another order."""

    call: str
    """What the script did; empty if that says nothing about the rows."""

    number: int = 0
    """Different for calls that give other rows each time."""

    part: str = ""
    """One of several parts of the call's result, which share no row."""

    rows: range | frozenset[int] | None = None
    """The numbers of the rows, or the percents."""


class Origin(NamedTuple):
    """What was loaded, which split of it, and what was done to it."""

    source: str
    split: str = ""
    steps: tuple[Step, ...] = ()
    maps: tuple[int, ...] = ()
    """The numbers of the functions in `MAPS` that have changed its rows, in their order."""
    file: str = ""
    """The file of all its rows; empty if that is not one file."""


MAPS: list[Callable[[Any], Any] | None] = []
"""What `map` was given, as a function of one row; None for what cannot be called with one.

Origins have numbers in its place: they are copied, pickled and hashed with their data sets.
"""

SEVERAL: set[int] = set()
"""The numbers of those that get several rows at once, and cannot be called with one."""

FIRST: dict[str, set[Step]] = {}
"""The first steps from a source, of all data sets that were made of it."""

_numbers = itertools.count(1)


def act(module: ModuleType) -> None:
    """Patches of what makes a data set of another, and is patched nowhere else."""
    if hasattr(module, "IterableDataset"):
        patching.around(module.IterableDataset, "take", _first)
        patching.around(module.IterableDataset, "skip", _skipped)
        patching.around(module.IterableDataset, "shuffle", _shuffled)
    else:
        patching.around(module.Dataset, "shuffle", _shuffled)
        patching.around(module.Dataset, "sort", _sorted)


def loaded(data: Any, path: Any, given: Iterable[Any], more: dict[str, Any]) -> None:
    """Note where rows come from; `more["split"]` may name a part of them."""
    named = sorted((name, repr(value)) for name, value in more.items() if name != "split")
    source = repr((str(path), *given, named))

    def origin(split: str, *steps: Step) -> Origin:
        return Origin(source, split, steps, file=one_file(more.get("data_files"), split))

    if isinstance(data, dict):
        for name, rows in data.items():
            note(rows, origin(str(name)))
        return
    split = str(more.get("split"))
    part = PART.fullmatch(split)
    if part is None or (part[2] and part[4] and part[3] != part[5]):
        note(data, origin(split) if split.isidentifier() else Origin(_unique()))
        return
    unit = part[3] or part[5]
    end = int(part[4]) if part[4] else 100 if unit else ENDLESS
    note(data, origin(part[1], Step(f"[{split}]", rows=range(int(part[2] or 0), end), part=unit)))


def chosen(result: Any, data: Any, indices: Iterable[Any]) -> None:
    """Rows by their numbers, as the script gave them."""
    if isinstance(indices, range):
        _then(result, data, Step(f"select({indices})", rows=indices))
        return
    numbers = frozenset(int(index) for index in itertools.islice(indices, MOST + 1))
    call = f"select of {len(numbers)} rows" if len(numbers) <= MOST else ""
    _then(result, data, Step(call, 0 if call else next(_numbers), rows=numbers))


def part(rows: Any, path: Any, split: Any) -> Any:
    """A data set of the same rows that counts as a part of what was loaded."""
    own = copy.copy(rows)
    loaded(own, path, (), {"split": split})
    return own


def like(passed: Any, data: Any) -> Any:
    """All rows in place of those that passed a filter."""
    own = copy.copy(data)
    note(own, _of(passed))
    return own


def skipped(rows: Any, data: Any, n: int) -> Any:
    """All but the first rows."""
    own = copy.copy(rows)
    _then(own, data, Step(f"skip({n})", rows=range(n, ENDLESS)))
    return own


def split(result: dict[str, Any], data: Any, sizes: list[Any], more: dict[str, Any]) -> None:
    """The two parts of `train_test_split`."""
    seed = more.get("seed")
    number = 0 if seed is not None or more.get("shuffle") is False else next(_numbers)
    call = f"train_test_split({sizes}, {seed}, {more.get('stratify_by_column')})"
    for name, rows in result.items():
        _then(rows, data, Step(call, number, name))


def mapped(
    result: Any, data: Any, change: Callable[[Any], Any] | None, *, batched: bool = False
) -> None:
    """A row for each row; another number of rows says nothing about which they are."""
    MAPS.append(change)
    if batched and change is None:
        SEVERAL.add(len(MAPS) - 1)
    origin = _of(data)
    note(result, origin._replace(maps=(*origin.maps, len(MAPS) - 1)))
    if len(result) != len(data):
        filtered(result, data)


def filtered(result: Any, data: Any, *, by_user: bool = True) -> None:
    """Rows that a function chooses; a library's leaves out what cannot be trained on."""
    if by_user or len(result) != len(data):
        _then(result, data, Step("", next(_numbers)))
    else:
        note(result, _of(data))


def _shuffled(original: Callable[..., Any], data: Any, *args: Any, **more: Any) -> Any:
    result = original(data, *args, **more)
    seed = args[0] if args else more.get("seed")
    named = f"seed={seed}" if seed is not None else ""
    _then(result, data, Step(f"shuffle({named})", 0 if named else next(_numbers)))
    return result


def _sorted(original: Callable[..., Any], data: Any, *args: Any, **more: Any) -> Any:
    result = original(data, *args, **more)
    _then(result, data, Step(f"sort({args[0] if args else more.get('column_names')!r})"))
    return result


def _first(original: Callable[..., Any], data: Any, n: int) -> Any:
    result = original(data, n)
    _then(result, data, Step(f"take({n})", rows=range(n)))
    return result


def _skipped(original: Callable[..., Any], data: Any, n: int) -> Any:
    return skipped(original(data, n), data, n)


def _unique() -> str:
    return f"data set {next(_numbers)}"


def known(data: Any) -> Origin | None:
    """How a data set was made, as far as it was seen."""
    return getattr(data, "__dict__", {}).get(ATTRIBUTE)


def _of(data: Any) -> Origin:
    origin = known(data) or Origin(_unique())
    note(data, origin)
    return origin


def _then(result: Any, data: Any, step: Step) -> None:
    origin = _of(data)
    steps = (*origin.steps, step)
    FIRST.setdefault(origin.source, set()).add(steps[0])
    note(result, origin._replace(steps=steps))


def note(data: Any, origin: Origin) -> None:
    """Remember how a data set was made."""
    if hasattr(data, "__dict__"):
        data.__dict__[ATTRIBUTE] = origin
