"""What the doctor says of generated candidates, beside what the real `trl` command does with them.

    python benchmarks/differential.py --seed S --count N --python PY [--out DIR] [--no-fix]
    python benchmarks/differential.py --again DIR/S-7 --python PY

PY is an interpreter with trl. Candidate 7 of seed S is the same on every machine and under every
release. Those about which doctor and command disagree are left in DIR, with what both said in
`verdict.json`; `--again` judges one of them anew.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from candidates_judged import Verdict, judge, table
from drafts import MODELS, Draft
from drawn import draft
from faults import FAULTY, HARMLESS
from real import Real

DOCTOR = Path(sys.executable).with_name("trl-doctor")
AT_ONCE = 12
"""Candidates in one command of the doctor: they share what the libraries' import costs."""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seed", default="1")
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--only", type=int, help="this candidate alone")
    parser.add_argument("--python", required=True, help="an interpreter with trl")
    parser.add_argument("--out", type=Path, help="a folder for the disagreements")
    parser.add_argument("--again", type=Path, action="append", help="a candidate that lies there")
    parser.add_argument("--ppo", action="store_true", help="PPO only")
    parser.add_argument("--no-fix", action="store_true", help="do not try the repairs")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch, Real(options.python, Path(scratch)) as real:
        out = (options.out or Path(scratch) / "out").absolute()
        made = options.again or drawn(options, real, out, Path(scratch) / "pool")
        verdicts = judged([Path(one) for one in made], real, options)
        for verdict in verdicts:
            verdict.keep()
            if verdict.agrees and not options.again:
                shutil.rmtree(verdict.folder)
    print(table(verdicts))


def drawn(options: argparse.Namespace, real: Real, out: Path, pool: Path) -> list[Path]:
    """Candidates of a seed, written; the folder of each."""
    pool.mkdir()
    real.ask([{"id": "pool", "folder": str(pool), "make": MODELS}])
    models = [name for name in MODELS if (pool / name).is_dir()]
    trainers = ["ppo"] if options.ppo else real.trainers
    numbers = range(options.count) if options.only is None else [options.only]
    folders = []
    for number in numbers:
        folder = out / f"{options.seed}-{number}"
        shutil.rmtree(folder, ignore_errors=True)
        source = random.Random(f"{options.seed}:{number}")
        made = draft(source, trainers, models, real.reward_funcs)
        changes = changed(made)
        made.write(folder, pool)
        told = {"trainer": made.trainer, "architecture": made.architecture, "changes": changes}
        (folder / "candidate.json").write_text(json.dumps(told, indent=2))
        folders.append(folder)
    return folders


def changed(made: Draft) -> list[dict[str, Any]]:
    """Make none to two changes; what they are called, and the words that name them."""
    source, done = made.source, []
    harmless = source.sample(HARMLESS, source.choice([0, 1, 2]))
    faulty = source.sample(FAULTY, source.choice([0, 0, 0, 0, 1, 1, 1, 1, 1, 2]))
    for change in [*harmless, *faulty]:
        if words := change.edit(made):
            fault = change in faulty
            done.append({"name": change.name, "words": words, "silent": change.silent,
                         "fault": fault})  # fmt: skip
    return done


def judged(folders: list[Path], real: Real, options: argparse.Namespace) -> list[Verdict]:
    """What command and doctor say of each, before and after the repair."""
    ran = real.run(folders)
    told = {level: reports(folders, options.python, level) for level in ("files", "tiny")}
    fixed: dict[Path, dict[str, Any]] = {}
    if not options.no_fix:
        fixed = repaired([f for f in folders if has_fix(told["tiny"].get(f))], real, options.python)
    return [
        judge(f, ran[f], told["files"].get(f), told["tiny"].get(f), fixed.get(f)) for f in folders
    ]


def has_fix(report: dict[str, Any] | None) -> bool:
    """Whether the doctor has a repair for any of its findings."""
    checks = report["checks"] if report else []
    return any(finding["fix"] for check in checks for finding in check["findings"])


def repaired(folders: list[Path], real: Real, python: str) -> dict[Path, dict[str, Any]]:
    """What the command does with a repaired copy of each."""
    copies = {}
    for folder in folders:
        copy = folder.with_name(f"{folder.name}-fixed")
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("out", "real.log"))
        for name in ("run.yaml", "model/adapter_config.json"):
            if (copy / name).is_file():
                text = (copy / name).read_text()
                (copy / name).write_text(text.replace(f"{folder}/", f"{copy}/"))
        copies[folder] = copy
    reports([*copies.values()], python, "tiny", "--fix", "--unsafe-fixes")
    ran = real.run([*copies.values()])
    for copy in copies.values():
        shutil.rmtree(copy / "out", ignore_errors=True)
    return {folder: ran[copy] for folder, copy in copies.items()}


def reports(
    folders: Sequence[Path], python: str, level: str, *flags: str
) -> dict[Path, dict[str, Any]]:
    """The doctor's report on each candidate."""
    found: dict[Path, dict[str, Any]] = {}
    by_trainer: dict[str, list[Path]] = {}
    for folder in folders:
        told = json.loads((folder / "candidate.json").read_text())
        by_trainer.setdefault(told["trainer"], []).append(folder)
    for trainer, some in by_trainer.items():
        for start in range(0, len(some), AT_ONCE):
            part = some[start : start + AT_ONCE]
            found |= asked(
                part, ["--python", python, "--level", level, "--trainer", trainer, *flags]
            )
    return found


def asked(folders: list[Path], flags: list[str]) -> dict[Path, dict[str, Any]]:
    """One command of the doctor on several candidates."""
    runs = [str(folder / "run.yaml") for folder in folders]
    command = [str(DOCTOR), "check", "--offline", "--device", "cpu", "--format", "json"]
    variables = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [*command, "--processes", "1", *flags, *runs], capture_output=True, text=True, env=variables
    )
    try:
        targets = json.loads(done.stdout)["targets"]
    except ValueError:
        print(f"the doctor ended with {done.returncode}: {done.stderr[-800:]}", file=sys.stderr)
        return {}
    return {Path(one["target"]).parent: one for one in targets}


if __name__ == "__main__":
    main()
