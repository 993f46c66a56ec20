"""Which file of a folder has the rows, as `load_dataset` chooses it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

ENDINGS = (".jsonl", ".json", ".ndjson")
PREFERRED = (".parquet", ".arrow", ".jsonl", ".json", ".csv", ".tsv", ".ndjson")
"""The formats of rows, in the order of `load_dataset` where a folder has as many of each."""

READERS = {
    ".jsonl": "json", ".ndjson": "json", ".json": "json", ".csv": "csv", ".tsv": "csv",
    ".parquet": "parquet", ".arrow": "arrow", ".txt": "text",
}  # fmt: skip
"""The reader that `load_dataset` uses for a file, by its suffix."""

NO_ROWS = {
    "config.json",
    "dataset_info.json",
    "dataset_infos.json",
    "dataset_dict.json",
    "state.json",
}
"""Files of JSON that `load_dataset` passes over, or that `save_to_disk` wrote beside the rows."""


WORDS = {"validation": ("valid", "val", "dev"), "test": ("test", "eval")}
"""What in the name of a file says which split it belongs to, where that is not the split's name."""


def data_file(path: Path, endings: tuple[str, ...] = ENDINGS, split: str = "train") -> Path | None:
    """The file of rows that a path names, None if it has no such ending: itself, or a folder's.

    Of a folder it is the first file of the split, of the commonest format. If the folder itself has
    no rows, those of its subfolder of that name count.
    """
    try:
        for folder in (path, path / split) if path.is_dir() else ():
            inside = folder.iterdir() if folder.is_dir() else ()
            files = [file for file in inside if file.suffix in PREFERRED and _has_rows(file)]
            if files:
                named = [file for file in files if _is_named(file, split)]
                if not named and split != "train" and folder == path:
                    return None
                path = _of_one_format(named or files)
                break
        return path if path.suffix in endings and path.is_file() else None
    except (OSError, ValueError):
        return None


def _has_rows(file: Path) -> bool:
    """Whether it has rows of the data set itself: `map` keeps its own beside saved ones."""
    kept = file.suffix == ".arrow" and file.name.startswith(("cache-", "tmp"))
    return not kept and file.name not in NO_ROWS


def _is_named(file: Path, split: str) -> bool:
    return any(word in file.name for word in WORDS.get(split, (split,)))


def _of_one_format(files: list[Path]) -> Path:
    """The first file of the commonest format."""
    counts = Counter(file.suffix for file in files)
    suffix = max(counts, key=lambda suffix: (counts[suffix], -PREFERRED.index(suffix)))
    return min(file for file in files if file.suffix == suffix)
