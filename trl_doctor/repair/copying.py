"""Makes a copy of a candidate that can be repaired: small files copied, weights linked."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from trl_doctor.checkup.checkup import Checkup
from trl_doctor.core.finding import Put, pointer
from trl_doctor.core.records import RECORDS
from trl_doctor.facts.run import Run
from trl_doctor.files.document import Document
from trl_doctor.files.edit import CannotEdit, apply

SMALL = 64 * 1024 * 1024
"""Bytes up to which a file is copied; larger ones are linked."""


class CannotCopy(Exception):
    """The copy cannot be made; the message says why."""


class Copied(Struct, frozen=True):
    """What to check in the copy, and a sentence for each edit of it that was not made."""

    path: Path
    held: tuple[str, ...] = ()


def copy(checkup: Checkup, into: Path) -> Copied:
    """Copy the target into a new folder.

    A model folder becomes `into`. A run file is copied into it with the folders of its models,
    each under its own name, and names those. Raises `CannotCopy`.
    """
    from trl_doctor.files.hub.store import read_listing

    target = checkup.run.target
    try:
        if into.exists() and any(into.iterdir()):
            raise CannotCopy(f"{into} is not empty")
        _refuse_inside(checkup, into)
        for model in checkup.run.models.values():
            if not isinstance(model.folder, Exception) and read_listing(model.folder.path):
                raise CannotCopy(
                    f"{model.name}: only its small files were fetched; "
                    f"run `hf download {model.name}` first, then check again"
                )
        with _whole(into):
            if target.kind == "model":
                _folder(target.path, into)
                return Copied(into)
            return _run(checkup, into)
    except OSError as error:
        raise CannotCopy(f"{error.filename or into}: {error.strerror or error}") from error


@contextmanager
def _whole(into: Path) -> Iterator[None]:
    """After an error nothing of the copy is left."""
    was_there = into.exists()
    try:
        yield
    except BaseException:
        shutil.rmtree(into, ignore_errors=True)
        if was_there:
            into.mkdir()
        raise


def _refuse_inside(checkup: Checkup, into: Path) -> None:
    """A copy inside what is copied would have to hold itself."""
    place = Path(os.path.realpath(into))
    for model in checkup.run.models.values():
        if not isinstance(model.folder, Exception):
            source = Path(os.path.realpath(model.folder.path))
            if source == place or source in place.parents:
                raise CannotCopy(f"{into} is inside {source}, which is to be copied")


def _run(checkup: Checkup, into: Path) -> Copied:
    run = checkup.run
    if not isinstance(run.file, Document):
        raise CannotCopy(f"{run.target.given} cannot be read")
    if run.file.format == "python":
        raise CannotCopy("a script cannot be copied with its models: use --fix, or --diff")
    places: dict[Path, Path] = {}
    text, kind, held = run.file.data, run.file.format, []
    for model in run.models.values():
        if isinstance(model.folder, Exception):
            continue
        source = model.folder.path
        if source not in places:
            used_names = [run.target.path.name, *(place.name for place in places.values())]
            places[source] = into / _free(source.name, used_names)
        edit = Put(run.target.path, model.place.pointer, str(places[source].absolute()))
        try:
            text = apply(text, [edit], kind=kind)
        except CannotEdit as reason:
            why = f"the copy would still name {model.name}: {reason}"
            raise CannotCopy(f"{run.target.given} cannot be copied: {why}") from reason
    for data in _data(run):
        try:
            text = apply(text, [data], kind=kind)
        except CannotEdit as reason:
            deed = f"set {data.pointer[1:]} to {data.value} in the copy"
            held.append(f"not repaired: {deed}: {reason}")
    for source, place in places.items():
        _folder(source, place)
    copied = into / run.target.path.name
    into.mkdir(parents=True, exist_ok=True)
    copied.write_bytes(text)
    return Copied(copied, tuple(held))


def _data(run: Run) -> Iterator[Put]:
    """Edits that name local files of the run by their whole paths, which hold anywhere."""
    for key in ("dataset_name", "accelerate_config"):
        name = run.arguments.get(key)
        for root in run.roots if isinstance(name, str) else ():
            path = root / str(name)
            if not Path(str(name)).is_absolute() and path.exists():
                yield Put(run.target.path, pointer(key), os.path.realpath(path))
                break


def _free(name: str, used_names: Iterable[str]) -> str:
    used_names = set(used_names)
    names = (name, *(f"{name}-{number}" for number in range(2, 99)))
    return next(free for free in names if free not in used_names)


def _folder(source: Path, into: Path) -> None:
    """Copy a model's files and folders; links to folders may lead in a circle, and stay out."""
    into.mkdir(parents=True, exist_ok=True)
    left_out = _unusual(str(source), [entry.name for entry in source.iterdir()])
    for entry in sorted(source.iterdir()):
        if entry.name in left_out:
            continue
        if entry.is_dir():
            shutil.copytree(entry, into / entry.name, copy_function=_file, ignore=_unusual)
        else:
            _file(entry, into / entry.name)


def _unusual(folder: str, names: Iterable[str]) -> set[str]:
    """What is no file (links to files are) and no folder, and what the doctor keeps there."""
    return {
        name
        for name in names
        if name == RECORDS
        or (not (path := Path(folder, name)).is_file() and (path.is_symlink() or not path.is_dir()))
    }


def _file(source: str | Path, into: str | Path) -> None:
    source, into = Path(os.path.realpath(source)), Path(into)
    if source.stat().st_size > SMALL:
        into.symlink_to(source)
        return
    shutil.copy2(source, into)
    into.chmod(into.stat().st_mode | stat.S_IWUSR)
