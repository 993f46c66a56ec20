"""Healthy scripts with one small mistake, drawn by a seed: what they do, and what the doctor tells.

    python benchmarks/mutated_scripts.py --seed S --bases N [--each 3] [--environment current]
        [--out DIR]

The scripts are the healthy forms in `tests/proofs/reports/`; `mutants/mutations.py` has the
mistakes. Each mutant is run for real, checked at `files` and rehearsed, beside the script that it
was made of. A mutant *fails* if an error ends it, is *the same* if its trainers log the same and
train the same weights, and *differs* otherwise: whether that is wrong, only a reader can tell, so
those of which the doctor tells nothing new are printed. Whatever the doctor tells of the healthy
script, too, does not count. Scripts that do not do the same twice are left out. What is judged is a
line in `DIR/S.jsonl`; the same command goes on where it ended.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from zlib import crc32

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "tests/proofs"), str(ROOT / "fixtures")]

import hosts  # noqa: E402
import rehearsing  # noqa: E402
from candidates_judged import plain, share  # noqa: E402
from commands import ran, reports  # noqa: E402
from mutants.mutations import Mutant, drawn  # noqa: E402
from reports.collection import REPORTS  # noqa: E402
from reports.report import Report  # noqa: E402

SCRIPT = Path(__file__).with_name("mutants") / "real_run.py"
GRAVE = ("error", "warning")
NEAR = 2
"""Lines between a mistake and a finding about it."""

Answer = tuple[str, list[dict[str, Any]]]
"""The doctor's verdict on a script, the worst where it makes several trainers, and its findings."""
WORST = ("failed", "incomplete", "passed")


@dataclass(frozen=True)
class Verdict:
    """What became of a mutant: how it `ended`, and the doctor's new findings by level.

    `ended` is the real error, "" for a run that ends well; `changed` names what differs there.
    A finding is its severity, its rule, its line and its message; `verdicts` are by level, too.
    """

    thread: str
    kind: str
    line: int
    before: str
    after: str
    ended: str
    changed: list[str]
    told: dict[str, list[list[Any]]]
    verdicts: dict[str, str]

    def at(self, *severities: str, level: str = "") -> list[list[Any]]:
        """The new findings of these severities."""
        return [
            finding
            for name, findings in self.told.items()
            if not level or name == level
            for finding in findings
            if finding[0] in severities
        ]

    @property
    def green(self) -> bool:
        """Whether the rehearsal has no error and passed."""
        return not self.at("error") and self.verdicts["rehearsal"] == "passed"

    @property
    def named(self) -> bool:
        """Whether a finding stands at the mistake, or repeats what the real error says."""
        words = plain(self.ended.partition(": ")[2])[:60]
        return any(
            abs((line or -9) - self.line) <= NEAR or (len(words) > 12 and words in plain(message))
            for _, _, line, message in self.at(*GRAVE)
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seed", default="1")
    parser.add_argument("--bases", type=int, default=10, help="scripts to make mutants of")
    parser.add_argument("--each", type=int, default=3, help="mutants of a script")
    parser.add_argument("--environment", default="current")
    parser.add_argument("--out", type=Path, default=Path("build/mutants"))
    options = parser.parse_args()
    folder = Path(os.environ.get("TRL_DOCTOR_ENVIRONMENTS", ROOT / "environments"))
    python = folder / options.environment / "bin/python"
    options.out.mkdir(parents=True, exist_ok=True)
    lines = options.out / f"{options.seed}.jsonl"
    verdicts = [Verdict(**json.loads(line)) for line in lines.open()] if lines.exists() else []
    judged = {verdict.thread for verdict in verdicts}
    bases = [report for report in REPORTS if report.environment == options.environment]
    bases.sort(key=lambda report: crc32(f"{options.seed} {report.thread}".encode()))
    for report in bases[: options.bases]:
        if report.thread in judged:
            continue
        with tempfile.TemporaryDirectory() as name:
            new = list(examined(report, python, Path(name), options))
        verdicts += new
        with lines.open("a") as file:
            file.writelines(json.dumps(asdict(verdict)) + "\n" for verdict in new)
    print(table(verdicts))
    rehearsing.close()
    hosts.close()


def examined(
    report: Report, python: Path, folder: Path, options: argparse.Namespace
) -> Iterator[Verdict]:
    """What becomes of the mutants of a script; none if the script does not do the same twice."""
    script = report.lay(folder / "base", healthy=True, python=python)
    before, again = (real(report, python, folder / name) for name in ("first", "second"))
    if before[0] or before != again:
        print(f"{report.thread}: left out, {before[0] or 'it does not do the same twice'}")
        return
    chance = random.Random(f"{options.seed} {report.thread}")
    mutants = {drawn(script.read_text(), chance) for _ in range(options.each)}
    ordered = sorted(mutants, key=lambda mutant: (mutant.line, mutant.after))
    scripts = [script]
    for number, mutant in enumerate(ordered):
        scripts.append(report.lay(folder / f"m{number}", healthy=True, python=python))
        scripts[-1].write_text(mutant.script)
    answers = {
        "files": checked(python, scripts),
        "rehearsal": [rehearsed(python, path) for path in scripts],
    }
    for number, mutant in enumerate(ordered, 1):
        after = real(report, python, folder / f"r{number}", mutant)
        told = {level: new_findings(all_of[0], all_of[number]) for level, all_of in answers.items()}
        by_level = {level: all_of[number][0] for level, all_of in answers.items()}
        yield Verdict(
            report.thread, mutant.kind, mutant.line, mutant.before, mutant.after,
            after[0], differences(before[1], after[1]), told, by_level,
        )  # fmt: skip


def real(
    report: Report, python: Path, folder: Path, mutant: Mutant | None = None
) -> tuple[str, dict[str, Any]]:
    """The error that ends a script or its mutant, and what its trainers did."""
    script = report.lay(folder, healthy=True, python=python)
    if mutant:
        script.write_text(mutant.script)
    done = ran(python, SCRIPT, script.name, "seen.json", cwd=folder)
    seen = folder / "seen.json"
    lines = done.stderr.strip().splitlines() or ["?"]
    answer: dict[str, Any] = json.loads(seen.read_text()) if seen.exists() else {}
    return lines[-1][:300] if done.returncode else "", answer


def differences(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """What two runs did not do alike, in words."""
    names = set()
    for old, new in zip(before["trainers"], after.get("trainers", []), strict=False):
        names |= {"trained weights"} if old.get("weights") != new.get("weights") else set()
        pairs = list(zip(old.get("log", []), new.get("log", []), strict=False))
        names |= {key for a, b in pairs for key in {*a, *b} if a.get(key) != b.get(key)}
        if len(old.get("log", [])) != len(new.get("log", [])):
            names.add("lines of the log")
    if len(before["trainers"]) != len(after.get("trainers", [])):
        names.add("trainers")
    if before["files"] != after.get("files"):
        names.add("files")
    return sorted(names)


def checked(python: Path, scripts: Sequence[Path]) -> list[Answer]:
    """What the doctor answers about scripts at level files."""
    targets = reports(scripts, python, "--level", "files", statuses=(0, 1, 2, 3))
    return [
        answer_of([target for target in targets if target["target"] == str(path)])
        for path in scripts
    ]


def rehearsed(python: Path, script: Path) -> Answer:
    """What the doctor answers about the rehearsal of a script."""
    _, report = rehearsing.rehearsal(script.parent, python, "--offline", script.name)
    return answer_of(report["targets"])


def answer_of(targets: Sequence[dict[str, Any]]) -> Answer:
    """One answer of the targets that a script is."""
    verdicts = [target["verdict"] for target in targets]
    findings = [
        {**finding, "rule": check["rule"]}
        for target in targets
        for check in target["checks"]
        for finding in check["findings"]
    ]
    return next(verdict for verdict in (*WORST, "none") if verdict in [*verdicts, "none"]), findings


def new_findings(healthy: Answer, mutant: Answer) -> list[list[Any]]:
    """The findings that the healthy script has not: another message makes a finding new."""
    known = {(finding["rule"], finding["message"]) for finding in healthy[1]}
    return [
        [finding["severity"], finding["rule"], finding.get("line"), finding["message"]]
        for finding in mutant[1]
        if (finding["rule"], finding["message"]) not in known
    ]


def table(verdicts: Sequence[Verdict]) -> str:
    """The figures, then what disagrees."""
    failed = [verdict for verdict in verdicts if verdict.ended]
    same = [verdict for verdict in verdicts if not verdict.ended and not verdict.changed]
    differ = [verdict for verdict in verdicts if not verdict.ended and verdict.changed]
    lines = [
        f"{len(verdicts)} mutants: {len(failed)} fail, {len(differ)} differ, {len(same)} the same",
        share("failures: an error", [bool(v.at("error")) for v in failed]),
        share("  by the files alone", [bool(v.at("error", level="files")) for v in failed]),
        share("  at the mistake or with its words", [v.named for v in failed]),
        share("  no error, and passed", [v.green for v in failed]),
        share("differ: an error or a warning", [bool(v.at(*GRAVE)) for v in differ]),
        share("the same: an error", [bool(v.at("error")) for v in same]),
        "",
    ]
    kinds = Counter(verdict.kind for verdict in differ if not verdict.at(*GRAVE))
    lines += [f"differ, nothing told: {kind} {count}" for kind, count in kinds.most_common()]
    for title, wanted in (
        ("FAILS, no error", [v for v in failed if not v.at("error")]),
        ("FAILS, not named", [v for v in failed if v.at("error") and not v.named]),
        ("SAME, an error", [v for v in same if v.at("error")]),
        ("DIFFERS, an error", [v for v in differ if v.at("error")]),
        ("DIFFERS, a warning", [v for v in differ if v.at("warning") and not v.at("error")]),
        ("DIFFERS, nothing told", [v for v in differ if not v.at(*GRAVE)]),
    ):
        for verdict in wanted:
            lines += ["", f"{title}: {verdict.thread}, {verdict.kind}", *described(verdict)]
    return "\n".join(lines)


def described(verdict: Verdict) -> Iterator[str]:
    """The edit, what it did, and what was told."""
    yield f"    line {verdict.line}: {' '.join(verdict.before.split())}"
    yield f"    becomes {' '.join(verdict.after.split()) or 'nothing'}"
    yield f"    real: {verdict.ended or ', '.join(verdict.changed) or 'the same'}"
    yield f"    verdicts: {', '.join(f'{name} {text}' for name, text in verdict.verdicts.items())}"
    for level, findings in verdict.told.items():
        for severity, rule, line, message in findings:
            if severity in GRAVE:
                yield f"    {level}: {severity} {rule}:{line} {message[:160]}"


if __name__ == "__main__":
    main()
