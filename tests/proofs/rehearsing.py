"""Rehearsals as `--watch` makes them: in forks of a process that has imported the libraries.

What is kept for real runs cannot be used for them: it has imported the libraries before what
watches them.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from commands import in_process, known_environment
from hosts import KeptHost, Key, Names, doctors_host, doctors_key
from imported import Pool

from trl_doctor.asking import probes
from trl_doctor.asking.host import remove
from trl_doctor.checkup import session
from trl_doctor.commands import rehearse
from trl_doctor.rehearsing.command.imports import FIRST

KEPT = Pool()
COMMON = (
    "transformers:AutoTokenizer",
    "transformers.models.llama.modeling_llama",
    *(f"trl:{name}{part}" for name in ("GRPO", "SFT") for part in ("Trainer", "Config")),
)
"""What most scripts import, beside what the first one does."""


class RehearsingHost(KeptHost):
    """A host that has imported the libraries after what watches them."""

    def __init__(self, key: Key, python: Path, more: Mapping[str, str], wanted: Names) -> None:
        self.key = key
        super().__init__(python, more, tuple(dict.fromkeys((*wanted, *COMMON))))

    def put_back(self) -> None:
        home = self.root / "home"
        remove(home)
        home.mkdir()
        KEPT.put(self.key, self)


def rehearsing_host(python: Path, more: Mapping[str, str], wanted: Names) -> KeptHost:
    """A host for `Probes`, perhaps one that has served others."""
    if FIRST not in wanted:
        return doctors_host(python, more, wanted)
    key = doctors_key(python, more)
    return KEPT.take(key, lambda: RehearsingHost(key, python, more, wanted))


@contextmanager
def hosts_are_kept() -> Iterator[None]:
    """Where a script is rehearsed in forks of a host, that host is kept for others."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(probes, "Host", rehearsing_host)
        patch.setattr(session, "environment", known_environment)
        yield


def forked(
    *arguments: str | Path, cwd: Path | None = None, **variables: str
) -> subprocess.CompletedProcess[str]:
    """What `trl-doctor rehearse` does with these arguments, as a turn of `--watch`.

    What a launcher starts, or a Python that is named, is in processes of its own all the same.
    """
    with hosts_are_kept(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(rehearse, "_turns", lambda wanted: iter([0]))
        return in_process(*arguments, cwd=cwd, **variables)


def close() -> None:
    """End what is kept."""
    with suppress(OSError):
        KEPT.close()


def rehearsal(
    folder: Path, python: Path, *words: str, run: Any = forked
) -> tuple[int, dict[str, Any]]:
    """The exit status and the JSON report of a rehearsal in a folder, by a way to run the command.

    A script alone is run in a fork of a process that has the libraries and is kept. With `doctor`
    it is run in processes of its own, and what is asked after it is asked of a host that is kept.
    """
    given = ("rehearse", "--format", "json", "--python", str(python), *words)
    process = run(*given, cwd=folder, OMP_NUM_THREADS="1")
    assert process.stdout, process.stderr
    return process.returncode, json.loads(process.stdout)


def findings_by_rule(report: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """The findings by rule."""
    (target,) = report["targets"]
    return {check["rule"]: check["findings"] for check in target["checks"] if check["findings"]}


def measured(report: dict[str, Any]) -> dict[str, Any]:
    """How the rehearsal ended."""
    (target,) = report["targets"]
    by_probe = {probe["probe"]: probe["measured"] for probe in target["probes"]}
    return dict(by_probe["rehearsal"])
