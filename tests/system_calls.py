"""The system calls of Python code, watched one by one, and made to fail or to kill."""

from __future__ import annotations

import builtins
import fcntl
import inspect
import io
import itertools
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest

CALLS = {
    name: call
    for name, call in vars(os).items()
    if inspect.isbuiltin(call)
    and name not in {"fspath", "urandom", "_exit", "fork", "kill", "getpid", "getcwd", "strerror"}
}
CHANGING = {"write", "replace", "rename", "link", "unlink", "remove", "mkdir", "rmdir", "symlink"}
CHANGING |= {"fchmod", "fchown", "chmod", "chown", "truncate", "ftruncate", "utime", "fsync"}


Before = Callable[[str, tuple[object, ...]], None]
After = Callable[[str, tuple[object, ...], object], None]


@contextmanager
def watched(before: Before, after: After = lambda *_: None) -> Iterator[None]:
    """Call `before` and `after` around each system call of `os`, of `fcntl.flock` and of files.

    fsync does nothing but call them, and ids are the same in each run.
    """
    real = CALLS | {"flock": fcntl.flock}
    busy = False

    def wrap(
        name: str, call: Callable[..., object], *first_arguments: object
    ) -> Callable[..., object]:
        def wrapped(*arguments: object, **options: object) -> object:
            nonlocal busy
            if busy:
                return call(*arguments, **options)
            busy = True
            try:
                values = (*first_arguments, *arguments, *options.values())
                before(name, values)
                result = None if name == "fsync" else call(*arguments, **options)
                after(name, values, result)
            finally:
                busy = False
            return result

        return wrapped

    real_open = open

    def opened(*arguments: Any, **options: Any) -> Any:
        # what `before` and `after` read is not watched: they read whole trees at each call
        return (real_open if busy else partial(_opened, wrap))(*arguments, **options)

    with pytest.MonkeyPatch.context() as patch:
        numbers = itertools.count(1)
        patch.setattr(os, "urandom", lambda size: next(numbers).to_bytes(size, "big"))
        for name, call in real.items():
            patch.setattr(fcntl if name == "flock" else os, name, wrap(name, call))
        for module in (io, builtins):
            patch.setattr(module, "open", opened)
        yield


def _opened(
    wrap: Callable[..., Callable[..., Any]], file: Any, mode: str = "r", buffering: int = -1,
    encoding: str | None = None, errors: str | None = None, newline: str | None = None,
    closefd: bool = True, opener: Any = None,
) -> Any:  # fmt: skip
    """What `open` gives, whose reads, writes and the rest are watched."""

    class Raw(io.FileIO):
        """A file; its buffer calls these methods."""

        def __init__(self) -> None:
            super().__init__(file, "".join(sign for sign in mode if sign in "rwxa+"), closefd)
            for name in ("read", "readinto", "readall", "write", "truncate"):
                setattr(self, name, wrap(name, getattr(self, name), self.fileno()))

    if isinstance(file, int):
        raw = Raw()
    else:
        assert opener is None
        flags = os.O_CREAT if set(mode) & set("wxa") else 0
        raw = wrap("open", lambda *_: Raw())(file, flags)
    if buffering == 0:
        return raw
    kind = io.BufferedRandom if "+" in mode else io.BufferedReader
    kind = io.BufferedWriter if raw.writable() and "+" not in mode else kind
    stream = kind(raw)
    return stream if "b" in mode else io.TextIOWrapper(stream, encoding, errors, newline)


def changes_disk(name: str, arguments: tuple[object, ...]) -> bool:
    creates = name == "open" and isinstance(arguments[1], int) and arguments[1] & os.O_CREAT
    return name in CHANGING or bool(creates)


@dataclass
class Fault:
    """What goes wrong at the n-th call (`lasting`: from then on): a kill, or an error.

    `after`: when the call has been made. `torn`: a write is made by half.
    """

    at: int = 1
    error: BaseException | None = None
    after: bool = False
    lasting: bool = False
    torn: bool = False
    calls: Callable[..., bool] = lambda name, arguments: True
    seen: int = field(default=0, init=False)
    due: bool = field(default=False, init=False)

    def before(self, name: str, arguments: tuple[object, ...]) -> None:
        self.seen += self.calls(name, arguments)
        self.due = self.calls(name, arguments) and self.seen == self.at
        self.due = self.due or (self.lasting and self.seen >= self.at)
        if self.due and self.torn and name == "write":
            descriptor, content = arguments
            os.write(descriptor, content[: len(content) // 2])
        if self.due and not self.after:
            self.strike()

    def then(self, name: str, arguments: tuple[object, ...], result: object) -> None:
        if self.due and self.after:
            if name == "open":
                os.close(result) if isinstance(result, int) else result.close()
            self.strike()

    def strike(self) -> None:
        if self.error is None:
            os.kill(os.getpid(), signal.SIGKILL)
        else:
            raise copy(self.error)  # one that was raised before would bring that along


def ending(act: Callable[[], object], fault: Fault, after: After | None = None) -> str:
    """How an act ended: "done", an exception with its message; and "untouched" where it was
    over before the fault."""
    text = "done"
    try:
        with watched(fault.before, after or fault.then):
            act()
    except BaseException as error:
        text = f"{type(error).__name__}: {error}"
    return "untouched" if fault.seen < fault.at else text


def endured(act: Callable[[], object], fault: Fault) -> str:
    """`ending`, but what the act left open is closed, and so unlocked, as its process's end would.

    The act closes by `os.close` what it opens by `os.open`.
    """
    left: set[Any] = set()

    def then(name: str, arguments: tuple[object, ...], result: object) -> None:
        if name == "close":
            left.discard(arguments[0])
        fault.then(name, arguments, result)
        if name == "open" and isinstance(result, int):
            left.add(result)

    text = ending(act, fault, then)
    for descriptor in left:
        os.close(descriptor)
    return text


def suffered(act: Callable[[], object], fault: Fault) -> str:
    """`ending` in a process of its own, which may also end "killed"."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writing, ending(act, fault).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as stream:
        text = stream.read()
    _, status = os.waitpid(child, 0)
    return "killed" if os.WIFSIGNALED(status) else text
