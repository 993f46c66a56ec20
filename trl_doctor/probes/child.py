"""One probe, from its request to its answer, in a process that may do anything."""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import resource
import sys
import time
import traceback
from pathlib import Path
from typing import Any

from .network import NetworkRefused, closed
from .refusal import Refused

LARGEST_FILE = 8 * 1024**3
"""Bytes that a probe may write into one file."""

FRAMES = 12
"""Calls told of an error, innermost last."""


def run(order: dict[str, Any]) -> None:
    """Answer an order of the doctor in this forked process, and end it. Does not return."""
    folder = Path(order["folder"])
    try:
        os.setsid()
        _redirect(folder / "output")
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST_FILE, LARGEST_FILE))
        os.chdir(str(folder / "work"))
        os.environ["TMPDIR"] = str(folder / "scratch")
        text = json.dumps(answered(order), allow_nan=True)
        part = folder / "answer.part"
        part.write_text(text, "utf-8")
        part.replace(folder / "answer.json")
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)


def answered(order: dict[str, Any]) -> dict[str, Any]:
    """What became of a request: `answer`, `refused` or `raised`, with seconds and peak bytes."""
    start = time.perf_counter()
    try:
        with closed():
            found: dict[str, Any] = {"answer": _probe(order["probe"]).answer(order["request"])}
    except Refused as reason:
        found = {"refused": str(reason)}
    except BaseException as error:
        traceback.print_exc()
        found = {"raised": told(error)}
    found["seconds"] = round(time.perf_counter() - start, 3)
    found["memory"] = peak_bytes()
    return found


def _probe(name: str) -> Any:
    """The module of a probe: one beside this one, or any script by its path."""
    if not name.endswith(".py"):
        return importlib.import_module("." + name, __package__)
    spec = importlib.util.spec_from_file_location("trl_doctor_probe", name)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def told(error: BaseException) -> dict[str, Any]:
    """An error as data: its class, its message, and the calls that led to it."""
    calls = traceback.extract_tb(error.__traceback__)[-FRAMES:]
    return {
        "type": type(error).__name__,
        "message": str(error)[:4000],
        "network": caused(error, NetworkRefused),
        "memory": caused(error, MemoryError) or "out of memory" in str(error).lower(),
        "frames": [[one.filename, one.lineno, one.name, one.line or ""] for one in calls],
    }


def caused(error: BaseException | None, kind: type[BaseException]) -> bool:
    """Whether an error, or one that it followed, is of a kind."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        if isinstance(error, kind):
            return True
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return False


def imported(name: str) -> bool:
    """Import `module` or `module:attribute`; whether that went well."""
    module, _, attribute = name.partition(":")
    try:
        found = importlib.import_module(module)
        if attribute:
            getattr(found, attribute)
    except BaseException:
        return False
    return True


def peak_bytes() -> int:
    """The most memory that this process has held."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def _redirect(output: Path) -> None:
    """Standard input from nothing; output and errors to the doctor's pipe."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    pipe = os.open(str(output), os.O_WRONLY)
    os.dup2(nothing, 0)
    os.dup2(pipe, 1)
    os.dup2(pipe, 2)
