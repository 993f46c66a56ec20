"""Candidates whose step is broken, what the doctor reports, and the step repeated by hand."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import make
from commands import reports

ROOT = Path(__file__).parents[3]
GRPO: dict[str, Any] = {
    "trainer": "grpo",
    "model_name_or_path": "model",
    "dataset_format": "conversational",
    "num_processes": 1,
    "bf16": False,
}


@dataclass(frozen=True)
class Broken:
    """A candidate, and what one rule reports about its step in an environment."""

    rule: str
    environment: str
    says: str
    run: Mapping[str, Any] = field(default_factory=lambda: GRPO)
    files: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    added: tuple[str, ...] = ()
    rows: tuple[Mapping[str, Any], ...] = ()

    @property
    def name(self) -> str:
        return f"{self.rule}-{self.run['trainer']}-{self.environment}"


def candidate(folder: Path, case: Broken) -> Path:
    """Lay out the run, its rows, the healthy models, and the policy's files that are otherwise."""
    for model, fixture in (("model", "healthy"), ("reward", "reward")):
        shutil.copytree(ROOT / "fixtures/models" / fixture, folder / model)
    run = dict(case.run)
    if case.rows:
        (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in case.rows))
        run["dataset_name"] = "rows.jsonl"
    (folder / "run.json").write_text(json.dumps(run))
    tokenizer = make.tokenizer(case.added)
    (folder / "model/tokenizer.json").write_text(tokenizer.to_str())
    changes = {name: dict(keys) for name, keys in case.files.items()}
    if case.added:
        config = make.tokenizer_config(tokenizer)
        changes["tokenizer_config.json"] = {**config, **changes.get("tokenizer_config.json", {})}
    for name, keys in changes.items():
        path = folder / "model" / name
        content = {**json.loads(path.read_text()), **keys}
        left = {
            key: value for key, value in content.items() if key not in keys or value is not None
        }
        path.write_text(json.dumps(left, indent=2))
    return folder / "run.json"


def findings_of(
    python: Path, runs: list[Path], *flags: str
) -> dict[str, dict[str, list[dict[str, Any]]]]:
    """What the rules about the step find in each run file, by its stem and the rule."""
    selected = ("--level", "tiny", "--select", "step-*", "--select", "environment-cannot-train")
    targets = reports(runs, python, *selected, *flags)
    by_name = {}
    for run, target in zip(runs, targets, strict=True):
        states = {check["rule"]: check for check in target["checks"]}
        assert all(check["state"] != "crashed" for check in states.values()), states
        by_name[run.stem] = {
            rule: check["findings"]
            for rule, check in states.items()
            if any(finding["severity"] != "note" for finding in check["findings"])
        }
    return by_name


def repeated(python: Path, script: Path) -> subprocess.CompletedProcess[str]:
    """The kept script, run as a person would."""
    return subprocess.run(
        [python, script],
        capture_output=True,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""},
    )
