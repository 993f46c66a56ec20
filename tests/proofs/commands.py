"""Runs the two sides of a proof: the doctor's command, and scripts in a target interpreter."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, chdir, contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hosts import QUIET, doctors_host, ending_host, real_run

from trl_doctor.asking import probes
from trl_doctor.asking.variables import places
from trl_doctor.checkup import session
from trl_doctor.commands.cli import main
from trl_doctor.machine.environment import Environment, environment

ENGINE = {
    "TORCHDYNAMO_DISABLE": "1",
    "VLLM_USE_AOT_COMPILE": "0",
    "VLLM_CPU_KVCACHE_SPACE": "1",
    "VLLM_ENABLE_V1_MULTIPROCESSING": "0",
    "VLLM_NO_USAGE_STATS": "1",
    "VLLM_CACHE_ROOT": places(Path(tempfile.gettempdir()))["VLLM_CACHE_ROOT"],
}
"""A small engine on the CPU that compiles nothing.

It shares the doctor's cache: vLLM keeps there what it saw of a class.
"""


def free_ports(count: int) -> list[int]:
    """Ports of this machine that nothing listens on: other proofs run at the same time."""
    with ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


def doctor(
    *arguments: str | Path, cwd: Path | None = None, **variables: str
) -> subprocess.CompletedProcess[str]:
    """What `trl-doctor` does with these arguments, its probes forked from a host that is kept."""
    with kept_hosts():
        return in_process(*arguments, cwd=cwd, **variables)


def with_hosts_that_end(
    *arguments: str | Path, cwd: Path | None = None, **variables: str
) -> subprocess.CompletedProcess[str]:
    """The same, but the host and all that is its own are gone when the command is through."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(probes, "Host", ending_host)
        return in_process(*arguments, cwd=cwd, **variables)


def in_process(
    *arguments: str | Path, cwd: Path | None = None, **variables: str
) -> subprocess.CompletedProcess[str]:
    """What `trl-doctor` does with these arguments, without a process of its own for itself."""
    given = [str(argument) for argument in arguments]
    with chdir(cwd or Path.cwd()), pytest.MonkeyPatch.context() as patch:
        patch.setattr(session, "environment", known_environment)
        result = CliRunner().invoke(main, given, env=variables)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return subprocess.CompletedProcess(given, result.exit_code, result.stdout, result.stderr)


def known_environment(
    python: Path | None, stated: Sequence[str] = (), *, given: str = ""
) -> Environment:
    """The environment of an interpreter; where it is pinned, its sources are read once.

    A command reads them anew: that takes a tenth of what a check of a proof takes.
    """
    pinned = python is not None and (python.parents[2] / f"{python.parents[1].name}.txt").is_file()
    if not pinned or python is None:
        return environment(python, stated, given=given)
    return _pinned(python, tuple(stated), given, os.environ.get("PYTHONPATH", ""))


@lru_cache(maxsize=4)
def _pinned(python: Path, stated: tuple[str, ...], given: str, path: str) -> Environment:
    """The path is that of the modules: it is looked up with the environment's own."""
    return environment(python, stated, given=given)


@contextmanager
def kept_hosts() -> Iterator[None]:
    """Probes are forked from hosts that are kept, instead of one that each command starts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(probes, "Host", doctors_host)
        yield


OWN_KEYS = ("--ignore", "argument-for-doctor-only")
"""The run files name their trainer for the proofs' own scripts, not for TRL's command."""


def reports(
    runs: Sequence[Path],
    python: Path | None,
    *flags: str,
    statuses: Sequence[int] = (0, 1),
    cwd: Path | None = None,
    alone: bool = False,
    **variables: str,
) -> list[dict[str, Any]]:
    """The doctor's JSON report on each run file; it must end with one of the statuses.

    `alone` runs the command in processes of its own, which import everything themselves.
    """
    command = ["check", *map(str, runs), "--format", "json", "--offline", *OWN_KEYS, *flags]
    command += ["--python", str(python)] if python else []
    run = command_alone if alone else doctor
    process = run(*command, cwd=cwd, **variables)
    assert process.returncode in statuses, process.stderr + process.stdout[-2000:]
    targets: list[dict[str, Any]] = json.loads(process.stdout)["targets"]
    return targets


def command_alone(
    *arguments: str, cwd: Path | None = None, **variables: str
) -> subprocess.CompletedProcess[str]:
    """The command itself, as a user starts it."""
    return subprocess.run(
        [sys.executable, "-m", "trl_doctor", *arguments],
        capture_output=True,
        text=True,
        cwd=cwd,
        env={**os.environ, **variables},
    )


def checks(run: Path, python: Path | None, *flags: str, **more: Any) -> dict[str, dict[str, Any]]:
    """What became of every rule in one run file, by its name; `more` as of `reports`."""
    (target,) = reports([run], python, *flags, **more)
    return {check["rule"]: check for check in target["checks"]}


def ran(
    python: Path, *arguments: str | Path, given: str = "", cwd: Path | None = None, **variables: str
) -> subprocess.CompletedProcess[str]:
    """What `python arguments` does with the real libraries, forked from where they are imported.

    The arguments are those of a command line: a script, `-m` and a module, or `-c` and code. The
    variables are set before the import: each set of them costs one.
    """
    return real_run(
        python, [str(argument) for argument in arguments], given, cwd, {**QUIET, **variables}
    )


def answered(
    python: Path,
    script: Path | Sequence[str],
    *arguments: str | Path,
    request: object = None,
    cwd: Path | None = None,
    noisy: bool = False,
    **variables: str,
) -> Any:
    """What a script, or the options that name one, answers in JSON to a request on stdin.

    Where libraries print before it, as `noisy` says, the answer is the last line.
    """
    named = [script] if isinstance(script, Path) else script
    given = json.dumps(request)
    process = ran(python, *named, *arguments, given=given, cwd=cwd, **variables)
    assert process.returncode == 0, process.stderr[-2000:]
    return json.loads(process.stdout.strip().splitlines()[-1] if noisy else process.stdout)


def died(python: Path, folder: Path, trainer: str, run: Path | str = "run.yaml") -> str:
    """What TRL's own script says where it fails on a run file; empty where it trains."""
    process = ran(python, "-m", f"trl.scripts.{trainer}", "--config", run, cwd=folder)
    return process.stderr if process.returncode else ""


def logged(python: Path, file: Path, trainer: str, name: str) -> float:
    """A number of the first step, as TRL's own script logs it; the run must log every step."""
    process = ran(python, "-m", f"trl.scripts.{trainer}", "--config", file.name, cwd=file.parent)
    assert process.returncode == 0, process.stderr[-2000:]
    return float(re.findall(rf"'{name}': '?([-.e\d]+)", process.stdout)[0])
