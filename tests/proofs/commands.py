"""Runs the two sides of a proof: the doctor's command, and scripts in a target interpreter."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

QUIET = {
    "HF_HUB_OFFLINE": "1",
    "CI": "1",
    "CUDA_VISIBLE_DEVICES": "",
    "OMP_NUM_THREADS": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "TRL_EXPERIMENTAL_SILENCE": "1",
}


def reports(
    runs: Sequence[Path],
    python: Path | None,
    *flags: str,
    statuses: Sequence[int] = (0, 1),
    cwd: Path | None = None,
    **variables: str,
) -> list[dict[str, Any]]:
    """The doctor's JSON report on each run file; it must end with one of the statuses."""
    command = [sys.executable, "-m", "trl_doctor", "check", *map(str, runs)]
    command += ["--format", "json", "--offline", *flags]
    command += ["--python", str(python)] if python else []
    environment = {**os.environ, **variables}
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=cwd, env=environment, timeout=600
    )
    assert done.returncode in statuses, done.stderr + done.stdout[-2000:]
    targets: list[dict[str, Any]] = json.loads(done.stdout)["targets"]
    return targets


def checks(run: Path, python: Path | None, *flags: str, **more: Any) -> dict[str, dict[str, Any]]:
    """What became of every rule in one run file, by its name; `more` as of `reports`."""
    (target,) = reports([run], python, *flags, **more)
    return {check["rule"]: check for check in target["checks"]}


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
    child = subprocess.run(
        [python, "-W", "ignore", *named, *arguments],
        input=json.dumps(request),
        capture_output=True,
        text=True,
        cwd=cwd,
        env={**os.environ, **QUIET, **variables},
        timeout=300,
    )
    assert child.returncode == 0, child.stderr[-2000:]
    return json.loads(child.stdout.strip().splitlines()[-1] if noisy else child.stdout)


def died(python: Path, folder: Path, trainer: str, run: Path | str = "run.yaml") -> str:
    """What TRL's own script says where it fails on a run file; empty where it trains."""
    done = subprocess.run(
        [python, "-W", "ignore", "-m", f"trl.scripts.{trainer}", "--config", run],
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, **QUIET, "HF_HOME": str(folder / "home")},
        timeout=300,
    )
    return done.stderr if done.returncode else ""
