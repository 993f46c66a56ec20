"""How much of the scripts and notebooks in some folders is known without running them.

    python benchmarks/scripts.py FOLDER... [--findings] [-- more options of trl-doctor check]

Looks at every .py and .ipynb that names a trainer of TRL. Prints how many are read, how many make
a trainer that was found, what share of the arguments is known, and the findings by rule.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

NAMES = re.compile(r"\b(?:from|import)\s+trl\b")
MAKES = re.compile(r"\b[A-Z]\w*Trainer\(")
READ = re.compile(r"(\d+) of (\d+) arguments")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--findings", action="store_true", help="print each finding")
    options, more = parser.parse_known_args()
    files = sorted({file for folder in options.folders for file in _scripts(folder)})
    report = _checked([str(file) for file in files], [word for word in more if word != "--"])
    _summary(files, report)
    _findings(report, every=options.findings)
    return 0


def _scripts(folder: Path) -> Iterator[Path]:
    """The scripts and notebooks that import trl and make a trainer."""
    for file in folder.rglob("*"):
        if file.suffix in (".py", ".ipynb") and file.is_file():
            text = file.read_text("utf-8", errors="replace")
            if NAMES.search(text) and MAKES.search(text):
                yield file


def _checked(targets: list[str], more: list[str]) -> dict[str, Any]:
    doctor = Path(sys.executable).with_name("trl-doctor")
    command = [str(doctor), "check", "--offline", "--level", "files", "--output", "json"]
    process = subprocess.run(
        [*command, *more, *targets], capture_output=True, text=True, check=False
    )
    if process.returncode == 2 or not process.stdout:
        sys.exit(process.stderr)
    report: dict[str, Any] = json.loads(process.stdout)
    return report


def _summary(files: list[Path], report: dict[str, Any]) -> None:
    known_number = total = 0
    trainers = Counter[str]()
    unopened = Counter[str]()
    for target in report["targets"]:
        if not target["checks"]:
            unopened[" ".join(target["lacking"])[:100]] += 1
            continue
        trainers[target["trainer"] or "open"] += 1
        for note in target.get("notes", ()):
            if match := READ.search(note):
                known_number += int(match[1])
                total += int(match[2])
    crashed = sum(check["state"] == "crashed" for t in report["targets"] for check in t["checks"])
    print(f"{len(files)} files, {sum(trainers.values())} trainers examined, {crashed} crashes")
    print("trainers: " + ", ".join(f"{name} {number}" for name, number in trainers.most_common()))
    print(f"arguments known: {known_number} of {total} ({known_number / max(1, total):.1%})")
    for reason, number in unopened.most_common(12):
        print(f"  not opened: {number} {reason}")


def _findings(report: dict[str, Any], *, every: bool) -> None:
    findings: dict[tuple[str, str], list[str]] = defaultdict(list)
    skipped = Counter[str]()
    for target in report["targets"]:
        for check in target["checks"]:
            skipped[check["state"]] += 1
            for finding in check["findings"]:
                place = f"{finding['file']}:{finding['line']}"
                findings[check["rule"], finding["severity"]].append(f"{place} {finding['message']}")
    print("checks: " + ", ".join(f"{state} {number}" for state, number in skipped.most_common()))
    for (rule, severity), messages in sorted(findings.items()):
        print(f"{rule} ({severity}): {len(messages)}")
        for message in messages if every else ():
            print(f"    {message:.220}")


if __name__ == "__main__":
    sys.exit(main())
