"""The folders that a script itself writes, or downloads."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from trl_doctor.files.source.reading import Reading
from trl_doctor.files.source.values import Plain, Value

SAVES = ("save_model", "save_pretrained", "save_to_disk")
"""Methods whose first argument is the folder that they write."""

DOWNLOADS = "local_dir"
"""The argument by which functions of huggingface_hub get the folder for what they download."""

NAMES = ("output_dir", "save_directory", "dataset_path")


def writes(reading: Reading, name: str) -> bool:
    """Whether a folder, or one above it, is made by the script: a later stage may load it."""
    path = posixpath.normpath(name)
    return any(
        path == folder or path.startswith(f"{folder}/") for folder in _folders(reading) if folder
    )


def _folders(reading: Reading) -> Iterator[str]:
    for made in reading.made:
        given = {**made.keywords, **made.attributes}
        for name in ("output_dir", DOWNLOADS):
            yield _folder(given[name].value if name in given else None)
        if made.short.endswith(("Config", "Arguments")) and made.arguments:
            yield _folder(made.arguments[0])
        for deed in made.deeds:
            if deed.name in SAVES:
                values = [deed.keywords[name].value for name in NAMES if name in deed.keywords]
                for value in (*deed.arguments[:1], *values):
                    yield _folder(value)


def _folder(value: Value | None) -> str:
    """A folder whose name is known; else an empty text."""
    text = value.value if isinstance(value, Plain) else None
    folder = posixpath.normpath(text) if isinstance(text, str) and text else ""
    return "" if folder in (".", "/") else folder
