"""Looks at the functions that a script gives to `map` and `filter`."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

from .. import patching
from ..record import Mistake, Record
from ..where import called_by_user
from . import origins
from .cut_texts import cut_off
from .emptied import emptied
from .made_pairs import reversed_pairs
from .mixing import mixed
from .row_mistakes import row_mistakes
from .sources import Row
from .ties import ties

COMPARED = 64
"""Rows that are compared with what the function has made of them."""

PLACE_OF_BATCHED = 4
"""Where `map` takes it among its arguments, from 0."""


class Mapped:
    """Reports what is wrong with them; rows that a rehearsal has generated show nothing."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self.made: Callable[[], bool] = lambda: False

    def act(self, module: ModuleType, made: Callable[[], bool]) -> None:
        """Patches of datasets; `made` says whether rows are generated."""
        self.made = made
        patching.around(module.Dataset, "map", self._map)
        patching.around(module.Dataset, "remove_columns", self._removed)

    def _map(self, original: Any, data: Any, *args: Any, **more: Any) -> Any:
        result = original(data, *args, **more)
        batched = bool(more.get("batched")) or len(args) > PLACE_OF_BATCHED
        origins.mapped(result, data, _of_one_row(args, more), batched=batched)
        at = called_by_user()
        if at and not self.made():
            with contextlib.suppress(Exception):  # the function may be called once only
                if column := mixed(original, data, args, more, result):
                    self.record.mistake(Mistake("mixed rows", [column], at))
            with contextlib.suppress(Exception):  # the function may be called once only
                if words := emptied(data, args, more, result):
                    self.record.mistake(Mistake("map empties a column", words, at))
            with contextlib.suppress(Exception):  # rows of another kind
                for mistake in _of_results(data, result, batched=more.get("batched")):
                    self.record.mistake(mistake, at)
        self.look_at(data, args, more)
        return result

    def _removed(self, original: Any, data: Any, *args: Any, **more: Any) -> Any:
        result = original(data, *args, **more)
        at = called_by_user() if data.column_names and not result.column_names else None
        if at:
            names = ", ".join(data.column_names)
            self.record.mistake(Mistake("every column removed", [names, str(len(data))], at))
        return result

    def look_at(self, data: Any, args: Any, more: dict[str, Any], *, passes: bool = False) -> None:
        """Report what a function does to the rows it gets; `passes`: it chooses some of them."""
        function = args[0] if args else more.get("function")
        if self.made() or more.get("batched") or more.get("input_columns"):
            return
        with contextlib.suppress(Exception):  # a function is reported, or left alone
            for mistake in row_mistakes(function, data, passes=passes):
                self.record.mistake(mistake)
            for mistake in ties(function, data, more.get("remove_columns") or ()):
                self.record.mistake(mistake)


def _of_one_row(args: Any, more: dict[str, Any]) -> Callable[[Row], Any] | None:
    """What `map` was given, as a function of one row; None where it gets more than that."""
    function = args[0] if args else more.get("function")
    others = ("input_columns", "with_indices", "with_rank", "fn_kwargs")
    if function is None or len(args) > 1 or any(more.get(name) for name in others):
        return None
    if not more.get("batched"):
        return lambda row: function(dict(row))
    return lambda row: {
        name: next(iter(cells))
        for name, cells in function({name: [cell] for name, cell in row.items()}).items()
    }


def _of_results(data: Any, result: Any, *, batched: Any) -> Iterator[Mistake]:
    """What a function has lost or turned round in the rows that it was given one by one."""
    if batched or len(data) != len(result):
        return
    before, after = _first(data), _first(result)
    for what, look in (("pairs turned", reversed_pairs), ("text cut off", cut_off)):
        if words := look(before, after):
            yield Mistake(what, words)


def _first(data: Any) -> list[Row]:
    columns = data[:COMPARED]
    return [dict(zip(columns, cells)) for cells in zip(*columns.values())]
