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
    report = _checked([str(file) for file in files], [one for one in more if one != "--"])
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
    done = subprocess.run([*command, *more, *targets], capture_output=True, text=True, check=False)
    if done.returncode == 2 or not done.stdout:
        sys.exit(done.stderr)
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def _summary(files: list[Path], report: dict[str, Any]) -> None:
    known = total = 0
    made = Counter[str]()
    unopened = Counter[str]()
    for target in report["targets"]:
        if not target["checks"]:
            unopened[" ".join(target["lacking"])[:100]] += 1
            continue
        made[target["trainer"] or "open"] += 1
        for note in target.get("notes", ()):
            if found := READ.search(note):
                known += int(found[1])
                total += int(found[2])
    crashed = sum(check["state"] == "crashed" for t in report["targets"] for check in t["checks"])
    print(f"{len(files)} files, {sum(made.values())} trainers examined, {crashed} crashes")
    print("trainers: " + ", ".join(f"{name} {number}" for name, number in made.most_common()))
    print(f"arguments known: {known} of {total} ({known / max(1, total):.1%})")
    for reason, number in unopened.most_common(12):
        print(f"  not opened: {number} {reason}")


def _findings(report: dict[str, Any], *, every: bool) -> None:
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    skipped = Counter[str]()
    for target in report["targets"]:
        for check in target["checks"]:
            skipped[check["state"]] += 1
            for finding in check["findings"]:
                place = f"{finding['file']}:{finding['line']}"
                found[check["rule"], finding["severity"]].append(f"{place} {finding['message']}")
    print("checks: " + ", ".join(f"{state} {number}" for state, number in skipped.most_common()))
    for (rule, severity), messages in sorted(found.items()):
        print(f"{rule} ({severity}): {len(messages)}")
        for message in messages if every else ():
            print(f"    {message:.220}")


if __name__ == "__main__":
    sys.exit(main())
