"""One probe, from its request to its answer, in a process that may do anything."""

from __future__ import annotations

import contextlib
import dataclasses
import errno
import importlib
import importlib.util
import json
import os
import re
import resource
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .answers.error import Error
from .in_memory import with_changes
from .landlock import confine, is_met
from .line_values import line_values
from .network import NetworkRefused
from .processes import adopt_orphans
from .refusal import Refused

LONGEST_ANSWER = 8 * 1024**2
"""Characters of JSON."""

LONGEST_MESSAGE = 4000
LONGEST_LINE = 300
FRAMES = 12
"""Characters of an error's message and of a source line, and calls, innermost last."""

OWN_FOLDER = re.compile(r"/[^\s'\"]*/trl-doctor-probes-[^/\s]+/[^/\s]+/work/")
"""Where a probe works: another one that meets the same error works in another folder."""

NO_MEMORY = ("out of memory", "can't allocate memory", "cannot allocate memory")
NO_DISK = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def run(folder: Path) -> None:
    """Answer the request in a folder, in this forked process, and end it. Does not return."""
    status = 1
    try:
        os.setsid()
        adopt_orphans()
        _redirect(folder / "output")
        order = json.loads((folder / "request.json").read_text("utf-8"))
        _enter(folder, order["disk"])
        confine([folder, *(Path(os.environ[name]) for name in ("HF_HOME", "XDG_CACHE_HOME"))])
        text = json.dumps(answered(order))
        folder.mkdir(parents=True, exist_ok=True)
        part = folder / "answer.part"
        part.write_text(text, "utf-8")
        part.replace(folder / "answer.json")
        status = 0
    except BaseException as error:
        _print(error)
    finally:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(BaseException):
                stream.flush()
        os._exit(status)


def answered(order: dict[str, Any]) -> dict[str, Any]:
    """What became of a request, with seconds and peak bytes.

    It is `answer`, `refused`, `raised` or `unfit`: why the answer cannot be sent.
    """
    start = time.perf_counter()
    try:
        value = _probe(order["probe"]).answer(with_changes(order["request"]))
    except Refused as reason:
        outcome: dict[str, Any] = {"refused": _text(reason)}
    except BaseException as error:
        _print(error)
        outcome = {"raised": dataclasses.asdict(error_answer(error))}
    else:
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            value = dataclasses.asdict(value)
        unfit = _unfit(value)
        outcome = {"unfit": unfit} if unfit else {"answer": value}
    outcome["seconds"] = round(time.perf_counter() - start, 3)
    outcome["memory"] = peak_bytes()
    return outcome


def error_answer(error: BaseException) -> Error:
    """An error as a part of an answer."""
    message = _text(error)
    calls = traceback.extract_tb(error.__traceback__, limit=-FRAMES)
    followed = list(causes(error))
    return Error(
        type(error).__name__,
        message[:LONGEST_MESSAGE],
        contained=any(isinstance(cause, NetworkRefused) or is_met(cause) for cause in followed),
        memory=any(isinstance(cause, MemoryError) for cause in followed)
        or any(words in message.lower() for words in NO_MEMORY),
        disk=any(isinstance(cause, OSError) and cause.errno in NO_DISK for cause in followed),
        frames=tuple(
            (call.filename, call.lineno or 0, call.name, (call.line or "")[:LONGEST_LINE])
            for call in calls
        ),
        seen=line_values(error),
    )


def line(error: BaseException) -> str:
    """An error's class and the first line of its message."""
    lines = _text(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0]:.200}" if lines else type(error).__name__


def import_named(name: str) -> None:
    """Import `module` or `module:attribute`."""
    module, _, attribute = name.partition(":")
    imported = importlib.import_module(module)
    if attribute:
        getattr(imported, attribute)


def peak_bytes() -> int:
    """The most memory that this process has held."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def causes(error: BaseException | None) -> Iterator[BaseException]:
    """An error and those that it followed."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        yield error
        seen.add(id(error))
        error = error.__cause__ or error.__context__


def _text(error: BaseException) -> str:
    """An error's message, also where the error cannot say it.

    A path below the probe's own folder is shortened to what the probe has laid there.
    """
    try:
        return OWN_FOLDER.sub("", str(error))
    except BaseException as another:
        return f"(its message cannot be shown: {type(another).__name__})"


def _print(error: BaseException) -> None:
    """Print an error with its calls, past whatever the probe did to the streams."""
    with contextlib.suppress(BaseException):
        calls = traceback.format_tb(error.__traceback__, limit=-FRAMES)
        message = f"{type(error).__name__}: {_text(error)[:LONGEST_MESSAGE]}"
        os.write(2, "".join([*calls, message, "\n"]).encode("utf-8", "replace"))


def _unfit(value: Any) -> str:
    """Why an answer cannot be sent; empty if it can."""
    if not isinstance(value, dict):
        return f"its answer is a {type(value).__name__}, not a dict"
    try:
        length = len(json.dumps(value))
    except Exception as error:
        return f"its answer is no JSON: {_text(error)[:LONGEST_LINE]}"
    if length > LONGEST_ANSWER:
        return f"its answer has {length} characters of JSON, {LONGEST_ANSWER} are allowed"
    return ""


def _probe(name: str) -> Any:
    """The module of a probe: one beside this one, or any script by its path."""
    if not name.endswith(".py"):
        return importlib.import_module("." + name, __package__)
    return module_of(name, "trl_doctor_probe")


def module_of(file: str, name: str) -> Any:
    """A file of Python as a module of this name."""
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _enter(folder: Path, disk: int) -> None:
    """Work in the folder; write no core and no file larger than the bytes of disk allowed."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _lower(resource.RLIMIT_FSIZE, disk)
    with contextlib.suppress(OSError):
        # where memory runs out, this process goes first and not somebody's training
        Path("/proc/self/oom_score_adj").write_text("1000")
    os.chdir(str(folder / "work"))
    os.environ["TMPDIR"] = tempfile.tempdir = str(folder / "scratch")


def _lower(which: int, limit: int) -> None:
    """Set a limit of this process, where it is not lower already."""
    _, hard = resource.getrlimit(which)
    limit = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
    resource.setrlimit(which, (limit, limit))


def _redirect(output: Path) -> None:
    """Standard input from nothing; output and errors to the doctor's pipe."""
    opened = [os.open(os.devnull, os.O_RDONLY), os.open(str(output), os.O_WRONLY)]
    for source, target in ((opened[0], 0), (opened[1], 1), (opened[1], 2)):
        os.dup2(source, target)
    for descriptor in opened:
        if descriptor > 2:
            os.close(descriptor)
