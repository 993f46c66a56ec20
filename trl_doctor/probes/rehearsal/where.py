"""Which line of the user's own code is at work."""

from __future__ import annotations

import ast
import functools
import re
import sys
import sysconfig
import traceback
from collections.abc import Iterable
from types import FrameType
from typing import Any

from ..named_objects import nodes_of

MISTAKES = (AttributeError, NameError, RuntimeError, TypeError, ZeroDivisionError)
"""Errors that the doctor's own code never raises on purpose."""
PASSED_ON = re.compile(r"original\(|getattr\(|\(\*|, \*|__getattr")
"""Lines of the doctor at which a library's or the script's code is called, or its objects read."""
OF_CALLS = re.compile(r"\bargument|takes \d|not callable|missing \d")
"""What a TypeError says of a call, whose arguments may be the script's."""

OURS = __file__.rpartition("/rehearsal/")[0] + "/"
LIBRARIES = tuple(
    {sysconfig.get_paths()[name] + "/" for name in ("stdlib", "platstdlib", "purelib", "platlib")}
)

At = tuple[str, int]
"""A file and a line."""

TORCH = ("/torch/",)
"""A part of the names of the files through which a model is called."""

CALLERS = (*TORCH, "/transformers/pipelines/")
"""The same where a pipeline may call it for the script."""

STARTS = "sitecustomize"
"""The module by which Python lets the doctor into a process."""

COMPILED = (".pyx", ".pxi")
"""How the sources of Cython end: a compiled library names them in its calls, without a folder."""


@functools.lru_cache(maxsize=4096)  # some methods of all modules ask each time
def is_own(file: str) -> bool:
    """Whether a file is the user's: neither a library's, nor the doctor's, nor made up."""
    if file.startswith(("<", OURS)) or "site-packages/" in file or "dist-packages/" in file:
        return False
    return not file.startswith(LIBRARIES) and not file.endswith(COMPILED)


_libraries = {STARTS}
"""The names of modules that have been found not to be the user's."""


def own_modules() -> dict[str, str]:
    """The user's modules that have been imported, the script among them, and their files."""
    modules = {}
    for name in [name for name in sys.modules if name not in _libraries]:
        file = getattr(sys.modules.get(name), "__file__", None)
        if isinstance(file, str) and is_own(file):
            modules[name] = file
        elif name != "__main__":
            _libraries.add(name)
    return modules


def own_files() -> list[str]:
    """The files of these modules, each once."""
    return list(dict.fromkeys(own_modules().values()))


def attributes_of(files: Iterable[str]) -> set[str]:
    """The names of attributes that the code of files reads, sets or calls."""
    found = (node for file in files for node in nodes_of(file))
    return {node.attr for node in found if isinstance(node, ast.Attribute)}


def keywords_of(files: Iterable[str]) -> set[str]:
    """The names of arguments, and of keys in a dictionary, that the code of files gives."""
    found = [node for file in files for node in nodes_of(file)]
    keys = (key for node in found if isinstance(node, ast.Dict) for key in node.keys)
    texts = {str(key.value) for key in keys if isinstance(key, ast.Constant)}
    return texts | {node.arg or "" for node in found if isinstance(node, ast.keyword)}


def here() -> At | None:
    """The line of the user's code that led here; None if none did."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if is_own(frame.f_code.co_filename):
            return frame.f_code.co_filename, frame.f_lineno
        frame = frame.f_back
    return None


def called_by_user(through: tuple[str, ...] = ()) -> At | None:
    """The line of the user's code that called into the doctor, with no library between.

    Files of libraries that have a part of `through` in their names may be between.
    """
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(OURS):
        frame = frame.f_back
    while frame is not None and not is_own(file := frame.f_code.co_filename):
        if not any(part in file for part in through):
            return None
        frame = frame.f_back
    return None if frame is None else (frame.f_code.co_filename, frame.f_lineno)


def callers(count: int) -> list[str]:
    """The files of the innermost calls into the doctor."""
    frame: FrameType | None = sys._getframe(1)
    files: list[str] = []
    while frame is not None and len(files) < count:
        if not frame.f_code.co_filename.startswith(OURS):
            files.append(frame.f_code.co_filename)
        frame = frame.f_back
    return files


def frames(error: BaseException) -> list[list[Any]]:
    """The calls that led to an error, without the doctor's own, innermost last."""
    calls = traceback.extract_tb(error.__traceback__)
    return [
        [call.filename, call.lineno or 0, call.name, (call.line or "")[:300]]
        for call in calls
        if not call.filename.startswith((OURS, "<frozen"))
    ][-24:]


def raised_by_doctor(error: BaseException) -> str:
    """The line of the doctor's own code that failed by mistake, "" if the error is another's."""
    calls = traceback.extract_tb(error.__traceback__)
    if not calls or type(error) not in MISTAKES:
        return ""
    last = calls[-1]
    handed_on = PASSED_ON.search(f"{last.name}: {last.line}") or OF_CALLS.search(str(error))
    if handed_on or not last.filename.startswith(OURS):
        return ""
    return f"{last.filename[len(OURS) :]}:{last.lineno}"


def own_line(error: BaseException) -> At | None:
    """The last line of the user's own code in an error's calls."""
    own = [frame for frame in frames(error) if is_own(frame[0])]
    return (own[-1][0], own[-1][1]) if own else None
