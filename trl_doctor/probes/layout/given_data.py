"""The data set that TRL's script loads in a probe: the run's own if it is local, shortened."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

from . import pictures
from .rows import generated_rows

LARGEST = 64 * 1024**2
"""Bytes of local files that are loaded whole."""

MORE = 64
"""Rows that are kept besides those of four batches."""


@contextlib.contextmanager
def given_data(request: dict[str, Any], run: dict[str, Any]) -> Iterator[None]:
    """While this lasts `load_dataset` gives a few rows of the run's own, or made ones.

    A data set that is not on this machine has all splits, with generated rows.
    """
    import datasets

    real = datasets.load_dataset
    rows = MORE + 4 * _number(run, "per_device_train_batch_size", 8) * _number(
        run, "gradient_accumulation_steps", 1
    )

    def load(path: Any, *arguments: Any, **more: Any) -> Any:
        if more.get("data_files"):
            return _cut(real(path, *arguments, **_absolute(more, request["roots"])), rows)
        place = local(path, request["roots"])
        if place is None:
            return _generated(request)
        if bytes_of(place) > LARGEST:
            more["streaming"] = True
        return _cut(real(str(place), *arguments, **more), rows)

    cache = mock.patch.object(datasets.config, "HF_DATASETS_CACHE", Path("cache").absolute())
    with cache, mock.patch.object(datasets, "load_dataset", load), _in_modules(load, real):
        yield


@contextlib.contextmanager
def _in_modules(load: Any, real: Any) -> Iterator[None]:
    """The same for TRL's modules that have imported it by name."""
    import sys

    with contextlib.ExitStack() as stack:
        for name, module in list(sys.modules.items()):
            if name.startswith("trl.scripts") and getattr(module, "load_dataset", None) is real:
                stack.enter_context(mock.patch.object(module, "load_dataset", load))
        yield


def _absolute(more: dict[str, Any], roots: list[str]) -> dict[str, Any]:
    """The files that an entry of `datasets` names, as absolute paths."""
    files = more["data_files"]
    path = local(files, roots) if isinstance(files, str) else None
    return {**more, "data_files": str(path)} if path else more


def _number(run: dict[str, Any], key: str, usual: int) -> int:
    value = run.get(key, usual)
    return value if isinstance(value, int) and 0 < value < 100_000 else usual


def local(name: Any, roots: list[str]) -> Path | None:
    """The local folder or file with a name that the run uses."""
    for root in roots if isinstance(name, str) else ():
        path: Path = Path(root) / name
        if path.exists():
            return path.absolute()
    text = str(name)
    return Path(text) if text.startswith(("/", ".", "~")) else None


def bytes_of(path: Path) -> int:
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files if file.is_file())


def _cut(data_set: Any, rows: int) -> Any:
    """Every split with its first rows; streamed only if the script requested it."""
    from datasets import Dataset, DatasetDict, IterableDatasetDict

    if isinstance(data_set, IterableDatasetDict):
        return DatasetDict(
            {name: Dataset.from_list([*split.take(rows)]) for name, split in data_set.items()}
        )
    if isinstance(data_set, DatasetDict):
        return DatasetDict(
            {name: split.select(range(min(rows, len(split)))) for name, split in data_set.items()}
        )
    return data_set


class _Every(dict):  # type: ignore[type-arg]
    """A dictionary with the same split under every name."""

    def __missing__(self, name: str) -> Any:
        return self["train"]


def _generated(request: dict[str, Any]) -> Any:
    from datasets import Dataset

    conversational = bool(request["data"]["conversational"])
    text = request["arguments"].get("dataset_text_field")
    rows = generated_rows(request["trainer"]["name"], conversational, text)
    if conversational:
        rows = pictures.added(rows, request)
    return _Every(train=Dataset.from_list(rows * MORE))
