"""The real side of the comparison: `real_host.py`, kept open in the target interpreter."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

HOST = Path(__file__).with_name("real_host.py")


class Real:
    """`trainers` have a command in this release; `reward_funcs` says whether GRPO's takes them."""

    def __init__(self, python: str, scratch: Path) -> None:
        variables = {**os.environ, "HF_HOME": str(scratch / "home")}
        self.process = subprocess.Popen(
            [python, "-W", "ignore", str(HOST)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=variables,
        )
        assert self.process.stdout
        told = json.loads(self.process.stdout.readline())
        self.trainers: list[str] = told["trainers"]
        self.reward_funcs: bool = told["reward_funcs"]

    def __enter__(self) -> Real:
        return self

    def __exit__(self, *_: object) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait()

    def ask(self, jobs: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
        """Run jobs one after another; the answers by id."""
        assert self.process.stdin and self.process.stdout
        found = {}
        for job in jobs:
            self.process.stdin.write(json.dumps(job) + "\n")
            self.process.stdin.flush()
            answer = json.loads(self.process.stdout.readline())
            found[answer["id"]] = answer
        return found

    def run(self, folders: list[Path]) -> dict[Path, dict[str, Any]]:
        """What the real command does with each candidate."""
        jobs = []
        for folder in folders:
            told = json.loads((folder / "candidate.json").read_text())
            jobs.append({"id": str(folder), "folder": str(folder), "trainer": told["trainer"]})
        return {Path(name): answer for name, answer in self.ask(jobs).items()}
