"""The training rows of a run, by the real `load_dataset`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..layout.given_data import LARGEST, bytes_of, local
from ..reading import KINDS
from ..refusal import Refused

FIRST = 20_000
"""Rows that are read of files that are too large to be loaded whole."""

USUAL = "train"


@dataclass(frozen=True)
class Loaded:
    """The `rows` of a split of one `source`; `whole` says that they are all there are.

    `tests` is the number of rows for evaluation, None if it is not known.
    """

    rows: Any
    source: str
    split: str
    whole: bool
    tests: int | None = None


def named(request: dict[str, Any]) -> tuple[str, str]:
    """The data set and the split that the run names; "" if it names none."""
    run = request["arguments"]
    split = str(run.get("dataset_train_split") or USUAL)
    if run.get("datasets"):
        return "datasets", split
    name = run.get("dataset_name")
    return (name if isinstance(name, str) else ""), split


def loaded(request: dict[str, Any]) -> Loaded:
    """What TRL would train on, of rows that a script makes the first ones.

    Raises what the library raises, `Refused` where the rows are not here.
    """
    import datasets

    datasets.config.HF_DATASETS_CACHE = Path("cache").absolute()
    run, roots = request["arguments"], request["roots"]
    name, split = named(request)
    mixture = run.get("datasets")
    steps = request["data"]["columns"]
    made = request["data"].get("made")
    if made and not steps:
        rows = datasets.Dataset.from_list(made["rows"])
        return Loaded(rows, made["name"], split, made["whole"])
    if isinstance(mixture, list) and mixture:
        return Loaded(_changed(_mixed(mixture, roots), steps), name, split, True)
    place = local(name, roots) if name else None
    if place is None or not place.exists():
        raise Refused(
            f"{name or 'a data set'} is not on this machine, and rows on the Hub are not read"
        )
    config = run.get("dataset_config")
    if bytes_of(place) > LARGEST:
        part = _opened(place, config, streaming=True)[split]
        first = datasets.Dataset.from_list([*part.take(FIRST)])
        return Loaded(_changed(first, steps), name, split, False)
    splits, tests = _opened(place, config), run.get("dataset_test_split") or "test"
    count = len(splits[tests]) if tests in splits else None
    return Loaded(_changed(splits[split], steps), name, split, True, count)


def _opened(place: Path, config: Any, **more: Any) -> Any:
    """The splits of a folder, or of a file that a script would read."""
    import datasets

    if place.is_file():
        kind = KINDS.get(place.suffix, "text")
        return datasets.load_dataset(kind, data_files=str(place), **more)
    return datasets.load_dataset(str(place), name=config, **more)


def _changed(rows: Any, steps: list[dict[str, Any]]) -> Any:
    """The rows after what the script does to their columns."""
    for step in steps:
        if step["how"] == "rename":
            rows = rows.rename_columns(step["names"])
        else:
            rows = getattr(rows, f"{step['how']}_columns")([*step["names"]])
    return rows


def _saved(path: Path) -> Path:
    """A file; of a folder that `save_to_disk` wrote all files of it, without what `map` keeps."""
    if not path.is_dir():
        return path
    return (path if (path / "state.json").exists() else path / USUAL) / "data-*.arrow"


def _mixed(mixture: list[Any], roots: list[str]) -> Any:
    """The entries of `datasets` one after the other, as TRL joins them."""
    import datasets

    parts = []
    for entry in mixture:
        if not isinstance(entry, dict) or not isinstance(entry.get("path"), str):
            raise Refused("an entry of datasets names no path")
        files, path = entry.get("data_files"), entry["path"]
        folder = local(files if isinstance(files, str) else path, roots)
        if folder is None or not folder.exists():
            raise Refused(f"{files or path} is not here")
        chosen = {"data_files": str(_saved(folder))} if files else {}
        part = datasets.load_dataset(
            path if files else str(folder),
            name=entry.get("name"),
            data_dir=entry.get("data_dir"),
            split=entry.get("split", USUAL),
            **chosen,
        )
        columns = entry.get("columns")
        parts.append(part.select_columns(columns) if columns else part)
    return datasets.concatenate_datasets(parts)
