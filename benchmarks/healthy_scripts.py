"""Scripts that train, as people write them: what `check` and `rehearse` report about each.

    python benchmarks/healthy_scripts.py --python PY [NAME ...]

Runs each script of `healthy_shapes.py` and `programs/` really, checks it and rehearses it, and
prints every error of the doctor's about a script that ended well. Scripts that do not end in this
environment are listed and not counted.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from healthy_shapes import SHAPES, files

ROOT = Path(__file__).parents[1]
PROGRAMS = ROOT / "benchmarks/programs"
BESIDE = "scoring.py"
"""A module that one of the programs imports."""
QUIET = {"HF_HUB_OFFLINE": "1", "CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "2"}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these scripts")
    parser.add_argument("--python", required=True, type=os.path.abspath, help="one with trl")
    options = parser.parse_args()
    counted, wrong, silent = 0, 0, []
    scripts = {**SHAPES, **programs()}
    for name in options.names or scripts:
        with tempfile.TemporaryDirectory() as path:
            folder = laid(Path(path), scripts[name])
            reports = {
                door: report_of(folder, options.python, *words)
                for door, words in {
                    "check": ("check", "--offline"),
                    "rehearse": ("rehearse",),
                }.items()
            }
            ended = real(folder, options.python)
        if ended:
            print(f"{name}: does not end here: {ended}")
            continue
        counted += 1
        for door, report in reports.items():
            messages = errors(report)
            wrong += bool(messages)
            for message in messages:
                print(f"{name}: {door}: {message}")
            if not messages and report["verdict"] != "passed":
                silent.append(f"{name} ({door})")
    print(f"{counted} scripts end, asked by two doors: {wrong} answers with an error")
    print(f"neither passed nor failed: {', '.join(silent) or 'none'}")
    return 1 if wrong else 0


def programs() -> dict[str, str]:
    """Whole programs, by the names of their files."""
    return {
        file.stem: file.read_text("utf-8")
        for file in sorted(PROGRAMS.glob("*.py"))
        if file.name != BESIDE
    }


def laid(folder: Path, script: str) -> Path:
    """The script with a small model and all files of rows beside it."""
    shutil.copytree(ROOT / "fixtures/models/healthy", folder / "model")
    for name, text in files().items():
        (folder / name).write_text(text, "utf-8")
    shutil.copy(PROGRAMS / BESIDE, folder)
    (folder / "train.py").write_text(script, "utf-8")
    return folder


def real(folder: Path, python: str) -> str:
    """The last line of the error that ends the script; empty where it ends well."""
    process = subprocess.run(
        [python, "train.py"],
        cwd=folder,
        env={**os.environ, **QUIET},
        capture_output=True,
        text=True,
    )
    return (process.stderr.strip().splitlines() or ["?"])[-1][:160] if process.returncode else ""


def report_of(folder: Path, python: str, *command: str) -> dict[str, Any]:
    """The doctor's report on the script."""
    doctor = str(Path(sys.executable).with_name("trl-doctor"))
    words = [doctor, *command, "--python", python, "--format", "json", "train.py"]
    process = subprocess.run(words, cwd=folder, capture_output=True, text=True)
    try:
        report: dict[str, Any] = json.loads(process.stdout)["targets"][0]
    except ValueError:
        raise SystemExit(f"{' '.join(words)}: {process.stderr[-2000:]}") from None
    return report


def errors(report: dict[str, Any]) -> list[str]:
    """What the report calls an error, each with its rule."""
    return [
        f"{check['rule']}: {finding['message'][:200]}"
        for check in report["checks"]
        for finding in check["findings"]
        if finding["severity"] == "error" and finding["follows_from"] is None
    ]


if __name__ == "__main__":
    sys.exit(main())
