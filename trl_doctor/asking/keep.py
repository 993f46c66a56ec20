"""Copies a probe's files to the user's folder, with a command that repeats the probe."""

from __future__ import annotations

import os
import shlex
import shutil
import stat
import tempfile
from collections.abc import Mapping, Set
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from trl_doctor.asking.variables import settings
from trl_doctor.core.question import Answer
from trl_doctor.core.secrets import of_environment, of_run, redacted
from trl_doctor.core.unavailable import Unavailable

LARGEST = 16 * 2**20
"""Bytes of a kept text in which secrets are looked for; larger ones are weights."""

PROBES = Path(__file__).parents[1] / "probes"


def writable(folder: Path) -> None:
    """Create a folder if it is missing. Raises `Unavailable` if files cannot be written in it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise Unavailable(f"--keep {folder}: {error.strerror}") from error


class Keeper(Struct, frozen=True):
    """Where to, and with which interpreter and variables the probes ran."""

    into: Path
    python: Path
    variables: Mapping[str, str]

    def keep(self, answer: Answer[Any], folder: Path) -> Answer[Any]:
        """Copy a probe's folder; returns the answer with the command that repeats the question.

        The copy contains no secrets. Raises `OSError`, and then leaves no copy.
        """
        place = self._free(Path(answer.question.probe).stem)
        try:
            self._fill(place, answer, folder)
        except BaseException:
            shutil.rmtree(place, ignore_errors=True)
            raise
        script = place / "work" / "repeat.py"
        command = [str(self.python), str(script)] if script.exists() else [str(place / "repeat.sh")]
        return replace(answer, repeat=shlex.join(command))

    def _fill(self, place: Path, answer: Answer[Any], folder: Path) -> None:
        secrets = {*of_environment(os.environ), *of_run(dict(answer.question.request))}
        copy = partial(_copy, secrets=secrets)
        work = folder / "work"
        if work.is_dir():
            shutil.copytree(work, place / "work", symlinks=True, copy_function=copy)
        for name in ("request.json", "answer.json"):
            if (folder / name).is_file():
                copy(folder / name, place / name)
        (place / "output.txt").write_text(redacted("\n".join(answer.tail), secrets), "utf-8")
        shutil.copytree(
            PROBES,
            self.into / "probes",
            dirs_exist_ok=True,
            ignore=shutil.ignore_patterns("__pycache__"),
        )
        script = place / "repeat.sh"
        script.write_text(self._script(), "utf-8")
        script.chmod(0o755)

    def _free(self, name: str) -> Path:
        """A folder of this name that is not there yet."""
        number = 1
        while True:
            place = self.into / (name if number == 1 else f"{name}-{number}")
            try:
                place.mkdir(parents=True)
                return place
            except FileExistsError:
                number += 1

    def _script(self) -> str:
        setting, unset = settings(os.environ, self.variables)
        exports = "".join(
            f"export {name}={shlex.quote(setting[name])}\n" for name in sorted(setting)
        )
        command = [str(self.python), "../probes/host.py", "--alone", "request.json"]
        return (
            "#!/bin/sh\n# Asks the same question again, outside trl-doctor.\n"
            f'cd "$(dirname "$0")" || exit 1\nunset {" ".join(unset)}\n{exports}'
            f"exec {shlex.join(command)}\n"
        )


def _copy(source: str | Path, target: str | Path, *, secrets: Set[str]) -> None:
    """Copy a file without the secrets in its text; a pipe or a socket is not copied."""
    status = os.stat(source)  # noqa: PTH116
    if not stat.S_ISREG(status.st_mode):
        return
    if status.st_size > LARGEST:
        shutil.copy2(source, target)
        return
    data = Path(source).read_bytes()
    with suppress(UnicodeDecodeError):
        data = redacted(data.decode(), secrets).encode()
    Path(target).write_bytes(data)
    shutil.copystat(source, target)
