"""Where a run's reward functions are called: they find the run's files, and change none of them."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from .. import audit, landlock, network

WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
FIRST, SECOND, BOTH = slice(1), slice(1, 2), slice(2)
ENTRIES = {"os.remove": FIRST, "os.rmdir": FIRST, "os.mkdir": FIRST, "shutil.rmtree": FIRST,
           "os.symlink": SECOND, "os.rename": BOTH, "os.link": BOTH}  # fmt: skip
"""Events that change an entry of a folder, and which of their arguments are its paths.

A second name for a file's contents (`os.link`) could be written to; what a symbolic link leads to
is seen when it is opened.
"""

CONTENTS = ("os.truncate", "os.chmod", "os.chown", "os.utime")
"""Events that change what a path leads to."""

CACHES = ("~/.cache", "~/.triton")
"""Where libraries keep what they compile, also where a run is in the home folder."""

_guarded: dict[str, list[Path]] = {"closed": [], "open": []}
reached: list[str] = []
"""What a probe refused on the network since it started, also where the caller caught it."""


class Forbidden(PermissionError):
    """Somebody tried to change a file of the run."""


class _Refused(network.NetworkRefused):
    def __init__(self, message: str) -> None:
        super().__init__(message)
        reached.append(message)


def held(error: BaseException | None, by: tuple[type[BaseException], ...] = ()) -> bool:
    """Whether an error is there only because a probe may do less than the run.

    `by` are the errors of which that is asked; all that there are where it is empty.
    """
    seen: list[BaseException] = []
    while error is not None and not any(error is met for met in seen):
        if isinstance(error, by or (network.NetworkRefused, Forbidden)):
            return True
        if not by and landlock.is_met(error):
            return True
        seen.append(error)
        error = error.__cause__ or error.__context__
    return False


@contextlib.contextmanager
def place(roots: list[str], *, linked: bool = True) -> Iterator[None]:
    """Modules and relative paths are found in these folders; new files go into this one.

    If they are not linked, relative paths lead into the first of them, and no new file is made.
    """
    original = network.NetworkRefused
    network.NetworkRefused = _Refused  # type: ignore[misc,assignment]
    here = Path.cwd()
    before = list(sys.path)
    for root in roots if linked else ():
        _link(Path(root), here)
    sys.path[:0] = roots
    try:
        with guarded(roots):
            if not linked:
                os.chdir(roots[0])
            yield
    finally:
        network.NetworkRefused = original  # type: ignore[misc]
        sys.path[:] = before
        os.chdir(here)


@contextlib.contextmanager
def guarded(folders: Iterable[str]) -> Iterator[None]:
    """Nothing in these folders is changed, but in this probe's own, wherever that is.

    Whatever Python code would write there raises `Forbidden`.
    """
    audit.watch(("open", *CONTENTS, *ENTRIES), _forbid)
    here = Path.cwd()
    own = [here, *(os.environ.get(name, here) for name in ("TMPDIR", "HF_HOME")), *CACHES]
    before = dict(_guarded)
    _guarded["open"] = [Path(path).expanduser().resolve() for path in own]
    _guarded["closed"] = [Path(folder).resolve() for folder in folders]
    try:
        yield
    finally:
        _guarded.update(before)


def of_the_run(request: dict[str, Any]) -> list[str]:
    """The folders of a run that a probe may not change: where it starts, and its models."""
    return [*request["roots"], *(value for value in request["folders"].values() if value)]


def _link(root: Path, here: Path) -> None:
    """The entries of a folder, linked here: what is there is read, what is new is made here."""
    for entry in root.iterdir():
        with contextlib.suppress(OSError):
            (here / entry.name).symlink_to(entry)


def _forbid(event: str, arguments: tuple[Any, ...]) -> None:
    if not _guarded["closed"]:
        return
    writes = event == "open" and arguments[2] & WRITES
    which = FIRST if writes or event in CONTENTS else ENTRIES.get(event, slice(0))
    for path in arguments[which]:
        if not isinstance(path, (str, bytes, os.PathLike)):
            continue
        file = Path(os.fsdecode(path))
        place = file.parent.resolve() / file.name if event in ENTRIES else file.resolve()
        if _depth(place, "closed") > _depth(place, "open"):
            raise Forbidden(f"a probe may not change {place}")


def _depth(path: Path, which: str) -> int:
    """How deep the innermost of the folders lies that a path is in; 0 if it is in none."""
    around = (folder for folder in _guarded[which] if folder == path or folder in path.parents)
    return max((len(folder.parts) for folder in around), default=0)
