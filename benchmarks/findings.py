"""All findings of a corpus by rule, so that a person can judge them.

    python benchmarks/findings.py FOLDER [--configs FOLDER] [--judge PY] [-- more options of check]

FOLDER has one model folder a subfolder; `--configs` names a folder of run files. Where the names
are those of the corpus in `corpus_faults.json`, says which of its known faults were found, and
which of its traps were stepped into. `--judge` asks the real libraries of an interpreter about
each error, and prints a table: how many errors of each rule are right and wrong. `--warnings 60
--seed S` prints so many warnings for a person to judge, one of each rule in turn.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from corpus import completed

KNOWN = Path(__file__).with_name("corpus_faults.json")
REAL = Path(__file__).with_name("findings_real.py")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--configs", type=Path, help="a folder of run files")
    parser.add_argument("--judge", type=Path, help="an interpreter with trl")
    parser.add_argument("--warnings", type=int, default=0, help="print so many warnings")
    parser.add_argument("--seed", default="1", help="which of them")
    options, more = parser.parse_known_args()
    with tempfile.TemporaryDirectory() as scratch:
        targets = [str(folder) for folder in completed(options.folder, Path(scratch))]
        if options.configs:
            targets += [str(file) for file in sorted(options.configs.iterdir())]
        chosen = [word for word in more if word != "--"]
        chosen += ["--python", str(options.judge)] if options.judge else []
        report = checked(targets, chosen)
        if options.judge:
            print(table(report, options.judge))
    findings = by_rule(report)
    if options.warnings:
        for rule, name, message in drawn(findings, options.warnings, options.seed):
            print(f"{rule} {name}: {message}")
        return 0
    for (rule, severity), places in sorted(findings.items()):
        print(f"\n{rule} ({severity}): {len(places)}")
        for name, message in places:
            print(f"  {name:6} {message:.150}")
    crashed = [check for target in report["targets"] for check in target["checks"]
               if check["state"] == "crashed"]  # fmt: skip
    opened = [target for target in report["targets"] if target["checks"]]
    print(f"\n{len(opened)} of {len(targets)} targets examined, {len(crashed)} crashes")
    return judged(findings) + len(crashed)


def checked(targets: list[str], more: list[str]) -> dict[str, Any]:
    """The JSON report of `trl-doctor check` about all targets."""
    doctor = Path(sys.executable).with_name("trl-doctor")
    command = [str(doctor), "check", "--offline", "--format", "json", *more, *targets]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    print(process.stderr, end="", file=sys.stderr)
    report: dict[str, Any] = json.loads(process.stdout)
    return report


def table(report: dict[str, Any], python: Path) -> str:
    """The errors of each rule, and how many of them the real libraries call right and wrong."""
    errors = [
        {
            "rule": check["rule"],
            "folder": target["target"],
            "pointer": finding["pointer"] or "",
            "message": finding["message"],
            "trainer": target["trainer"],
        }
        for target in report["targets"]
        for check in target["checks"]
        for finding in check["findings"]
        if finding["severity"] == "error"
    ]
    counts: dict[str, Counter[bool | None]] = defaultdict(Counter)
    for finding, right in zip(errors, real(errors, python), strict=True):
        counts[finding["rule"]][right] += 1
        if right is not True:
            print(f"{'wrong' if right is False else 'open'}: {finding['rule']} {finding['folder']} "
                  f"{finding['message']:.150}")  # fmt: skip
    lines = ["| rule | errors | right | wrong | not asked |", "|---|---|---|---|---|"]
    for rule, answers in sorted(counts.items()):
        cells = (answers.total(), answers[True], answers[False], answers[None])
        lines.append(f"| `{rule}` | " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines)


def real(errors: list[dict[str, Any]], python: Path) -> list[bool | None]:
    """What the real libraries say of each error."""
    read, write = os.pipe()
    command = [str(python), "-W", "ignore", str(REAL), str(write)]
    given = json.dumps(errors)
    variables = {**os.environ, "HF_HUB_OFFLINE": "1", "CUDA_VISIBLE_DEVICES": ""}
    with os.fdopen(read) as answers:
        subprocess.run(
            command, input=given, text=True, pass_fds=[write], env=variables, check=True,
            stdout=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(write)
        results: list[bool | None] = json.load(answers)
    return results


def by_rule(report: dict[str, Any]) -> dict[tuple[str, str], list[tuple[str, str]]]:
    """Target and message of each finding, by rule and severity."""
    findings: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for target in report["targets"]:
        for check in target["checks"]:
            for finding in check["findings"]:
                key = check["rule"], finding["severity"]
                findings[key].append((Path(target["target"]).stem, finding["message"]))
    return findings


def drawn(
    findings: dict[tuple[str, str], list[tuple[str, str]]], count: int, seed: str
) -> list[tuple[str, str, str]]:
    """Rule, target and message of some warnings: one of each rule in turn."""
    source, piles = random.Random(seed), list[list[tuple[str, str, str]]]()
    for (rule, severity), places in sorted(findings.items()):
        if severity == "warning":
            piles.append([(rule, name, message) for name, message in sorted(set(places))])
            source.shuffle(piles[-1])
    turns = itertools.zip_longest(*piles)
    return [entry for turn in turns for entry in turn if entry][:count]


def judged(findings: dict[tuple[str, str], list[tuple[str, str]]]) -> int:
    """Print how the known faults and traps fared; gives the number that went wrong."""
    pairs = {(name, rule) for (rule, _), places in findings.items() for name, _ in places}
    expected = json.loads(KNOWN.read_text())
    missed = [fault for fault in expected["faults"] if not any((fault["folder"], r) in pairs
              for r in fault["rules"])]  # fmt: skip
    stepped = [trap for trap in expected["traps"] if any((trap["folder"], r) in pairs
               for r in trap["rules"])]  # fmt: skip
    print(
        f"known faults found: {len(expected['faults']) - len(missed)} of {len(expected['faults'])}"
    )
    print(f"traps stepped into: {len(stepped)} of {len(expected['traps'])}")
    for entry in (*missed, *stepped):
        print(f"  {entry['folder']}: {entry['what']}")
    return len(missed) + len(stepped)


if __name__ == "__main__":
    sys.exit(min(main(), 1))
