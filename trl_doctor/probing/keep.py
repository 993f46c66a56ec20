"""Leaves what a probe did in a folder of the user's, with the command that repeats it."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from trl_doctor.probing.host import QUIET
from trl_doctor.probing.question import Answer

PROBES = Path(__file__).parents[1] / "probes"


@dataclass(frozen=True)
class Keeper:
    """Where to, and with which interpreter and variables the probes ran."""

    into: Path
    python: Path
    variables: Mapping[str, str]

    def kept(self, answer: Answer, folder: Path) -> Answer:
        """Copy a probe's folder; the answer with the command that asks again."""
        place = self._free(folder.name.partition("-")[2])
        shutil.copytree(folder / "work", place / "work", symlinks=True)
        for name in ("request.json", "answer.json"):
            if (folder / name).exists():
                shutil.copyfile(folder / name, place / name)
        (place / "output.txt").write_text("\n".join(answer.tail), "utf-8")
        shutil.copytree(PROBES, self.into / "probes", dirs_exist_ok=True)
        script = place / "repeat.sh"
        script.write_text(self._script(place), "utf-8")
        script.chmod(0o755)
        own = place / "work" / "repeat.py"
        command = [str(self.python), str(own)] if own.exists() else [str(script)]
        return replace(answer, repeat=shlex.join(command))

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

    def _script(self, place: Path) -> str:
        variables = {**QUIET, **self.variables}
        setting = "".join(
            f"export {name}={shlex.quote(text)}\n" for name, text in sorted(variables.items())
        )
        command = [str(self.python), "../probes/host.py", "--alone", "request.json"]
        return (
            "#!/bin/sh\n# Asks the same question again, outside trl-doctor.\n"
            f'cd "$(dirname "$0")" || exit 1\n{setting}exec {shlex.join(command)}\n'
        )
