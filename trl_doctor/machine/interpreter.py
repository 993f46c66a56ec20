"""Another Python interpreter, and the folders in which it searches for packages."""

from __future__ import annotations

import json
import os
import sys
import time
from contextlib import suppress
from pathlib import Path

LIMIT_S = 10.0
MOST_BYTES = 1_000_000
MARK = "trl-doctor-paths:"
QUESTION = f"""import sys
sys.path[:] = [path for path in sys.path if path]
import json
print('\\n{MARK}' + json.dumps(sys.path))"""
"""Asked without the working folder, whose json.py would run otherwise."""


class BadInterpreter(Exception):
    """The interpreter or its stated versions cannot be used; the message is the reason."""


def interpreter_path(stated: str) -> Path:
    """The path of what a person writes: `./python` is a file, `python` a name on `PATH`.

    Raises `BadInterpreter`.
    """
    try:
        return Path(stated).expanduser().absolute() if os.sep in stated else Path(stated)
    except RuntimeError as error:
        raise BadInterpreter(f"{stated}: {error}") from error


def interpreter(stated: Path) -> Path:
    """The executable for a path, a venv's folder or a name on `PATH`.

    `PATH` comes first: a file in the working folder with the name of a program is not used.
    Links are not resolved: a venv's `bin/python` means the venv. Raises `BadInterpreter`.
    """
    try:
        if path := _on_path(stated):
            return path
        if stated.is_dir():
            return _of_folder(stated)
        if not stated.exists():
            raise BadInterpreter(f"{stated}: there is no such interpreter")
    except OSError as error:
        raise BadInterpreter(f"{stated}: {error.strerror or error}") from error
    if not os.access(stated, os.X_OK):
        raise BadInterpreter(f"{stated} is not executable")
    return stated.absolute()


def _of_folder(folder: Path) -> Path:
    for name in ("bin/python", "bin/python3", "Scripts/python.exe"):
        if (folder / name).exists():
            return interpreter(folder / name)
    raise BadInterpreter(f"{folder} is a folder without bin/python")


def _on_path(program: Path) -> Path | None:
    import shutil

    executable = shutil.which(str(program)) if len(program.parts) == 1 else None
    return Path(executable).absolute() if executable else None


def search_path(python: Path, limit_s: float = LIMIT_S) -> tuple[Path, ...]:
    """The folders where an interpreter finds packages, without the working folder.

    The interpreter runs once, with stdin closed; it and its children are killed after
    `limit_s` seconds. Raises `BadInterpreter`.
    """
    if str(python) == sys.executable:
        return folders(sys.path)
    status, output = _output_of(python, limit_s)
    for line in output.decode(errors="replace").splitlines():
        if line.startswith(MARK):
            try:
                return folders(json.loads(line.removeprefix(MARK)))
            except ValueError:
                break
    shown = " ".join(output.decode(errors="replace").split())[-200:] or "nothing"
    ended = f" (exit status {status})" if status else ""
    raise BadInterpreter(f"{python} does not answer like Python{ended}; it printed: {shown}")


def folders(entries: object) -> tuple[Path, ...]:
    """A `sys.path` as folders, the working folder's empty entry left out."""
    if not isinstance(entries, list):
        raise ValueError("no list")
    return tuple(Path(entry) for entry in entries if isinstance(entry, str) and entry)


def _output_of(python: Path, limit_s: float) -> tuple[int, bytes]:
    import signal
    import subprocess

    try:
        process = subprocess.Popen(
            [python, "-c", QUESTION],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except OSError as error:
        raise BadInterpreter(f"{python} cannot be run: {error.strerror or error}") from error
    deadline = time.monotonic() + limit_s
    try:
        assert process.stdout is not None
        output = _read_output(process.stdout.fileno(), deadline, python)
        return process.wait(max(0.0, deadline - time.monotonic())), output
    except (subprocess.TimeoutExpired, TimeoutError) as error:
        message = f"{python} did not answer within {limit_s:g} seconds"
        raise BadInterpreter(message) from error
    finally:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        if process.stdout:
            process.stdout.close()


def _read_output(pipe: int, deadline: float, python: Path) -> bytes:
    import select

    output = b""
    while True:
        ready, _, _ = select.select([pipe], [], [], max(0.0, deadline - time.monotonic()))
        if not ready:
            raise TimeoutError
        piece = os.read(pipe, 65536)
        output += piece
        if not piece:
            return output
        if len(output) > MOST_BYTES:
            raise BadInterpreter(f"{python} does not answer like Python: it prints without end")
