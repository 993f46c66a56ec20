"""Cuts data sets to a few rows, and makes rows for those that are not here."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Sized
from pathlib import Path
from types import ModuleType
from typing import Any

from .. import patching
from ..order import Order
from ..record import Record
from ..where import called_by_user, here
from . import origins
from .all_rows import AllRows
from .asked import columns_of, is_remote
from .encoded import undecoded
from .frames import Frames
from .made_up.for_script import rows_for_script
from .made_up.rows import every_split
from .mapped import Mapped
from .shares import Shares

BUILDERS = ("json", "csv", "parquet", "text", "arrow", "generator", "imagefolder")


class Data:
    """Patches of datasets."""

    def __init__(self, order: Order, record: Record, found: Callable[[Any], Any]) -> None:
        self.order, self.record, self.found = order, record, found
        self.mapped, self.shares = Mapped(record), Shares(record)
        self.short = False
        """Whether a data set has fewer rows than it has in the job."""
        self.made = False
        """Whether a data set is not on this machine, and has generated rows."""
        self.loaded: list[Any] = []
        """What the script has loaded, as far as it is here."""
        self.frames, self.all = Frames(), AllRows()
        self.others = False
        """Whether the script got other rows than it asked for, as it asked for rows after these."""

    def act(self, module: ModuleType) -> None:
        """`load_dataset` and `load_from_disk`, wherever their module is."""
        patching.around(module, "load_dataset", self._load)
        patching.around(module, "load_from_disk", self._from_disk)

    def block_pushes(self, module: ModuleType) -> None:
        """Rows are pushed nowhere."""
        for name in ("Dataset", "DatasetDict"):
            if hasattr(module, name):
                patching.around(getattr(module, name), "push_to_hub", self._not_pushed)

    def limit_rows(self, module: ModuleType) -> None:
        """A data set in memory: pushed nowhere, and asked for no more rows than it has.

        Numbers of rows that are right for the whole data set are not for a few of its rows.
        """
        self.block_pushes(module)
        self.mapped.act(module, lambda: self.made)
        origins.act(module)
        patching.around(module.Dataset, "select", self._select)
        patching.around(module.Dataset, "skip", self._skip)
        patching.around(module.Dataset, "filter", self._filter)
        patching.around(module.Dataset, "__getitem__", self._got)
        patching.around(module.Dataset, "train_test_split", self._split)

    def _select(self, original: Any, data: Any, indices: Any, *args: Any, **more: Any) -> Any:
        """The rows that these indices fall on, each once; all rows where they fall on none.

        `range(len(data) - 1000, len(data))` is right for the whole data set only.
        """
        if not hasattr(indices, "__iter__"):  # `datasets` refuses it
            return original(data, indices, *args, **more)
        if not isinstance(indices, range):  # `sort` passes an array of Arrow
            indices = indices.to_pylist() if hasattr(indices, "to_pylist") else list(indices)
        few: Any = indices
        if self.short and len(data):
            whole = list(indices)
            if not whole:
                few, self.others = range(len(data)), True
            elif any(isinstance(index, int) and not 0 <= index < len(data) for index in whole):
                self._as_in_job(original, data, max(whole), indices, *args, **more)
                few = list(dict.fromkeys(index % len(data) for index in whole))
                self.others = True
        rows = original(data, few, *args, **more)
        origins.chosen(rows, data, indices)
        return rows

    def _got(self, original: Any, data: Any, key: Any) -> Any:
        """A row by its number; another one where the script names one beyond the few rows."""
        if self.short and type(key) is int and key >= len(data) > 0 and called_by_user():
            self._as_in_job(original, data, key, key)
            key %= len(data)
        return original(data, key)

    def _filter(self, original: Any, data: Any, *args: Any, **more: Any) -> Any:
        """What passes; all rows where none of the few passes, or of those that were generated."""
        self.mapped.look_at(data, args, more, passes=True)
        passed = original(data, *args, **more)
        origins.filtered(passed, data, by_user=called_by_user() is not None)
        if not (self.short and len(data)) or len(passed):
            return passed
        self.others = True
        why = "none of the generated rows" if self.made else "none of the first rows"
        self.record.add("changed", name="filter", given="no rows", used="all",
                        why=f"{why} passes", at=here(),
                        rows=0 if self.made else len(data))  # fmt: skip
        return origins.like(passed, data)

    def _skip(self, original: Any, data: Any, n: int) -> Any:
        rows = data if self.short and n >= len(data) else original(data, n)
        self.others = self.others or rows is data
        return origins.skipped(rows, data, n)

    def _split(self, original: Any, data: Any, *args: Any, **more: Any) -> Any:
        """The default shares, where a number of rows is more than there are."""
        sizes = [*args[:2], more.get("test_size"), more.get("train_size")]
        rows = sum(size for size in sizes if isinstance(size, int))
        if not self.short or rows < len(data):
            parts = original(data, *args, **more)
        else:
            self._as_in_job(original, data, rows, *args, **more)
            others = {k: v for k, v in more.items() if k not in ("test_size", "train_size")}
            parts = original(data, None, None, *args[2:], **others)
        origins.split(parts, data, sizes, more)
        self.shares.split(parts, data, [*args[:2]], more)
        return parts

    def _as_in_job(self, original: Any, data: Any, rows: int, *args: Any, **more: Any) -> None:
        """Raise what the whole data set raises, where the script asks for more rows than these."""
        whole = self.all.no_more_than(rows, data)
        if whole is not None:
            original(whole, *args, **more)

    def count(self, rows: Any) -> int | None:
        """How many rows the job has in place of these; None if that is not known."""
        sized = isinstance(rows, Sized)
        return (self.all.count(rows) if self.short else len(rows)) if sized else None

    def _not_pushed(self, original: Any, data: Any, *args: Any, **more: Any) -> None:
        self.record.add("kept away", what="upload", name=str(args[0] if args else ""), at=here())

    def _load(self, original: Any, path: Any, *args: Any, **more: Any) -> Any:
        name = str(path)
        at = here()
        for left_out in ("num_proc", "cache_dir"):
            more.pop(left_out, None)
        stand_in = self.order.stand_ins.get(name)
        if stand_in:
            self.record.add("data", name=name, origin="stand-in", columns=None, at=at)
            return self._read(original, stand_in, (), {"split": more.get("split")})
        local = name in BUILDERS or Path(name).exists() or bool(more.get("data_files"))
        try:
            rows = self._read(original, path, args, more)
        except Exception as error:
            if local and not is_remote(error):
                raise
            return self._stand_in(name, more.get("split"), bool(more.get("streaming")), at)
        self.loaded.append(rows)
        origins.loaded(rows, path, args, more)
        if local:
            self.all.loaded(rows)
        self.record.add("data", name=name, origin="folder" if local else "cache",
                        columns=columns_of(rows), at=at)  # fmt: skip
        return rows

    def _read(self, original: Any, path: Any, given: Any, more: dict[str, Any]) -> Any:
        """The first rows, read one by one: a large file is not converted as a whole."""
        if more.get("streaming"):
            return self.cut(original(path, *given, **more))
        whole = more.get("split")
        if isinstance(whole, (list, tuple)) or (isinstance(whole, str) and "[" in whole):
            return self.cut(original(path, *given, **more))
        with contextlib.suppress(ValueError, NotImplementedError, TypeError):
            if not undecoded(rows := original(path, *given, **{**more, "streaming": True})):
                return self._listed(rows)
        return self.cut(original(path, *given, **more))

    def _listed(self, streamed: Any) -> Any:
        from datasets import Dataset, DatasetDict

        if isinstance(streamed, dict):
            return DatasetDict({name: self._listed(split) for name, split in streamed.items()})
        rows = list(itertools.islice(iter(streamed), self.order.rows))
        if len(rows) == self.order.rows:
            self._shortened()
        first = Dataset.from_list(rows, features=streamed.features)
        self.all.are_in(streamed, first)
        return first

    def _from_disk(self, original: Any, path: Any, *args: Any, **more: Any) -> Any:
        stand_in = self.order.stand_ins.get(str(path))
        rows = self.cut(original(stand_in or self.found(path), *args, **more))
        self.loaded.append(rows)
        origins.loaded(rows, path, (), {"split": "disk"})
        self.all.loaded(rows)
        self.record.add("data", name=str(path), origin="folder", columns=columns_of(rows),
                        at=here())  # fmt: skip
        return rows

    def cut(self, data: Any, most: int | None = None) -> Any:
        """At most so many rows of a data set, or of each in a dictionary of them."""
        rows = self.order.rows if most is None else most
        if data is None or isinstance(data, (str, bytes)):
            return data
        if isinstance(data, dict) and hasattr(data, "values"):
            for name in list(data):
                data[name] = self.cut(data[name], rows)
            return data
        if hasattr(data, "select") and hasattr(data, "__len__"):
            if len(data) <= rows:
                return data
            self._shortened()
            first = data.select(range(rows))
            self.all.are_in(data, first)
            return first
        if not hasattr(data, "take"):
            return data
        self._shortened()
        return data.take(rows)

    def _shortened(self) -> None:
        """A data set has fewer rows from now on."""
        if not self.short:
            self.record.add("short", at=here())
        self.short = True

    def _stand_in(self, name: str, split: Any, streaming: bool, at: Any) -> Any:
        from datasets import Dataset

        self.short = self.made = True
        values = rows_for_script(name, self.order)
        rows = Dataset.from_list(values)
        self.record.add("data", name=name, origin="made", columns=list(values[0]), at=at)
        if isinstance(split, (list, tuple)):
            return [origins.part(rows, name, one) for one in split]
        rows = rows.to_iterable_dataset() if streaming else rows
        if split is not None:
            return origins.part(rows, name, split)
        return every_split(lambda split: origins.part(rows, name, split))
