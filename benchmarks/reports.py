"""How many causes of TRL users' problem reports the doctor finds: `python benchmarks/reports.py`.

The candidates of `tests/proofs/reports/` are run in the pinned environments (here, or in
`TRL_DOCTOR_ENVIRONMENTS`), broken and after their remedy, and the doctor is asked about both at
`files`, at `tiny` and in a rehearsal. Printed is a line for each, and a sum for each group.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "tests/proofs"), str(ROOT / "fixtures")]

import hosts  # noqa: E402
import rehearsing  # noqa: E402
from reports.collection import REPORTS  # noqa: E402
from reports.report import Report, errors, findings_of_checks, names_cause, real, rehearsed  # noqa: E402

LEVELS = ("files", "tiny", "rehearse")


def main() -> None:
    """Examine what is asked for, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", default=[], help="parts of threads' names")
    parser.add_argument("--groups", nargs="*", default=[], help="names of groups")
    parser.add_argument("--levels", nargs="*", default=LEVELS, choices=LEVELS)
    parser.add_argument("--no-real", action="store_true", help="ask the doctor alone")
    options = parser.parse_args()
    folder = Path(os.environ.get("TRL_DOCTOR_ENVIRONMENTS", ROOT / "environments"))
    chosen = [
        report
        for report in REPORTS
        if (not options.only or any(p in report.thread for p in options.only))
        and (not options.groups or report.group in options.groups)
    ]
    sums: dict[str, Counter[str]] = {}
    for environment in sorted({report.environment for report in chosen}):
        here = [report for report in chosen if report.environment == environment]
        with tempfile.TemporaryDirectory() as name:
            examine(folder / environment / "bin/python", here, Path(name), options, sums)
        rehearsing.close()
        hosts.close()
    for group, counted in sorted(sums.items()):
        reports = counted.pop("reports")
        print(f"{group}: {reports} reports, " + ", ".join(f"{n} {w}" for w, n in counted.items()))


def findings_at(level: str, python: Path, scripts: list[Path]) -> list[list[dict[str, Any]]]:
    """The findings of a rehearsal of each script, or of a check of it at a level."""
    if level == "rehearse":
        return rehearsed(python, scripts)
    return findings_of_checks(python, scripts, level)


def examine(
    python: Path,
    here: list[Report],
    folder: Path,
    options: argparse.Namespace,
    sums: dict[str, Counter[str]],
) -> None:
    """Print and count what becomes of the reports of one environment."""
    laid = {report: (folder / f"{n}b", folder / f"{n}h") for n, report in enumerate(here)}
    for report, (broken, healthy) in laid.items():
        report.lay(broken, healthy=False, python=python)
        report.lay(healthy, healthy=True, python=python)
    scripts = [part / "train.py" for report in here for part in laid[report]]
    by_level = {level: findings_at(level, python, scripts) for level in options.levels}
    for number, report in enumerate(here):
        words, counted = [], sums.setdefault(report.group, Counter())
        counted["reports"] += 1
        if not options.no_real:
            broken, healthy = (real(python, part) for part in laid[report])
            fails = bool(re.search(report.sign, broken.stderr + broken.stdout))
            words.append(f"{'fails' if fails else 'does not fail'}, then {healthy.returncode}")
            counted["fail, and run after the remedy"] += fails and not healthy.returncode
        rules = {
            level: names_cause(report, by_level[level][2 * number]) for level in options.levels
        }
        for level in options.levels:
            by = f"found at {level} by {', '.join(sorted({*rules[level]}))}"
            words.append(by if rules[level] else f"missed at {level}")
            counted[f"found at {level}"] += bool(rules[level])
        counted["found at any level"] += any(rules.values())
        false = {
            error for level in options.levels for error in errors(by_level[level][2 * number + 1])
        }
        counted["false errors on the healthy ones"] += len(false)
        print(
            f"{report.thread} ({report.environment}): {'; '.join([*words, *sorted(false)])}",
            flush=True,
        )


if __name__ == "__main__":
    main()
