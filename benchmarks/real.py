"""The real side of the comparison: TRL's own command, in forks of hosts that imported it."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[1] / "tests/proofs"))

import hosts
from drafts import PARQUET

SCRIPT = Path(__file__).with_name("trl_command.py")
QUIET = {**hosts.QUIET, "HF_DATASETS_DISABLE_PROGRESS_BARS": "1"}
hosts.CPU_SECONDS = 120
"""What a candidate may take."""

NOT_FINITE = re.compile(r"'(loss|grad_norm)': '?(nan|-?inf)")
"""What a trainer logs of a step that learnt nothing."""


class Real:
    """`trainers` have a command in this release; `reward_funcs` says whether GRPO's takes them."""

    def __init__(self, python: Path, at_once: int = 1) -> None:
        self.python, self.at_once = python, at_once
        hosts.REAL.most = at_once
        data = json.loads(self._ran(("trainers",)).stdout.splitlines()[-1])
        self.trainers: list[str] = data["trainers"]
        self.reward_funcs: bool = data["reward_funcs"]

    def __enter__(self) -> Real:
        return self

    def __exit__(self, *_: object) -> None:
        hosts.close()

    def make(self, models: Mapping[str, Any], folder: Path) -> None:
        """Save random models of these configs in a folder; those that this release has."""
        self._ran(("make",), json.dumps(models), folder)

    def parquet(self, folders: Sequence[Path]) -> None:
        """Make Parquet files of the candidates' rows that wait for it."""
        waiting = [str(file) for folder in folders for file in folder.glob(f"data/*.{PARQUET}")]
        if waiting:
            process = self._ran(("parquet",), json.dumps(waiting))
            assert not process.returncode, process.stderr[-2000:]

    def run(self, folders: Sequence[Path]) -> dict[Path, dict[str, Any]]:
        """What the real command does with each: `status`, and the `error` that ended it."""
        with ThreadPoolExecutor(self.at_once) as workers:
            return dict(zip(folders, workers.map(self._became, folders), strict=True))

    def _became(self, folder: Path) -> dict[str, Any]:
        trainer = json.loads((folder / "candidate.json").read_text())["trainer"]
        process = self._ran(("run", trainer), cwd=folder)
        (folder / "real.log").write_text(process.stdout + process.stderr)
        answer = folder / "real.json"
        if process.returncode not in (0, 1) or not answer.is_file():
            error = {"type": "Killed", "message": f"status {process.returncode}"}
            return {"status": 1, "error": error}
        data: dict[str, Any] = json.loads(answer.read_text())
        data["not_finite"] = bool(NOT_FINITE.search(process.stdout + process.stderr))
        answer.unlink()
        return data

    def _ran(self, arguments: Sequence[str], given: str = "", cwd: Path | None = None) -> Any:
        return hosts.real_run(self.python, [str(SCRIPT), *arguments], given, cwd, QUIET)
