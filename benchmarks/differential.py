"""The report of generated candidates, beside what the real `trl` command does with them.

    python benchmarks/differential.py --seed S --count N --python PY --out DIR [--ppo] [--no-fix]
    python benchmarks/differential.py --every 1 [--catalogue later|third] --python PY --out DIR
    python benchmarks/differential.py --again DIR/S-7 --python PY

PY is an interpreter with trl. Candidate 7 of seed S is the same on every machine, and under every
release that has the same trainers. The 200 candidates of a measurement, in a terminal that may be
closed and opened again:

    python benchmarks/differential.py --seed quince --count 200 --python PY --out DIR

takes some 25 minutes of processor time. What was judged is in `DIR/S.jsonl`, a line each: the
same command goes on where it ended, and prints the table of all. Disagreements stay in DIR as
folders, with what both said in `verdict.json`; `--again` judges one of them anew. `--every` draws
each fault of a catalogue alone, in that many healthy runs: of the one that seeds draw from, or of
one of those that were written after the rules.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from candidates_judged import Verdict, judge, table
from drafts import MODELS, Draft
from drawn import draft
from faults import FAULTY, HARMLESS
from later_faults import LATER
from real import Real
from third_faults import THIRD

DOCTOR = Path(sys.executable).with_name("trl-doctor")
AT_ONCE = 20
"""Candidates in one command of the doctor: they share what the libraries' import costs."""

CATALOGUES = {"every": FAULTY, "later": LATER, "third": THIRD}
"""Lists of faults; seeds draw from the first."""

LONGER = 40
"""Steps in which a run of a few rows comes to all of them."""

DrawnCandidate = tuple[str, Draft, list[dict[str, Any]]]
"""A candidate's name, what will be written, and what was changed in it."""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seed", default="1")
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--every", type=int, help="each fault alone, in so many runs")
    parser.add_argument("--catalogue", choices=CATALOGUES, default="every", help="whose faults")
    parser.add_argument("--only", type=int, action="append", help="this candidate alone")
    parser.add_argument("--python", type=Path, required=True, help="an interpreter with trl")
    parser.add_argument("--out", type=Path, help="a folder for verdicts and disagreements")
    parser.add_argument("--again", type=Path, action="append", help="a candidate that lies there")
    parser.add_argument("--ppo", action="store_true", help="PPO only")
    parser.add_argument("--no-fix", action="store_true", help="do not try the repairs")
    parser.add_argument("--at-once", type=int, default=2, help="real runs side by side")
    options = parser.parse_args()
    started, used = time.monotonic(), seconds_used()
    with tempfile.TemporaryDirectory() as scratch, Real(options.python, options.at_once) as real:
        if options.again:
            verdicts = judged([path.absolute() for path in options.again], real, options)
            for verdict in verdicts:
                verdict.keep()
        else:
            out = (options.out or Path(scratch) / "out").absolute()
            verdicts = measured(options, real, out, Path(scratch))
    print(table(verdicts))
    spent = seconds_used() - used
    print(f"\n{time.monotonic() - started:.0f} s, {spent:.0f} s of processor time")


def seconds_used() -> float:
    """Seconds of processor time of this process and of the children that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def measured(options: argparse.Namespace, real: Real, out: Path, scratch: Path) -> list[Verdict]:
    """The verdicts on a seed's candidates: those of earlier runs of this command, and the rest."""
    out.mkdir(parents=True, exist_ok=True)
    name = options.catalogue if options.every else options.seed
    book = out / f"{name}{'-ppo' * options.ppo}.jsonl"
    lines = book.read_text().splitlines() if book.is_file() else []
    by_name = {verdict.folder.name: verdict for verdict in map(Verdict.read, lines)}
    pool = scratch / "pool"
    pool.mkdir()
    real.make(MODELS, pool)
    wanted = list(drawn(options, real, pool))
    waiting = [candidate for candidate in wanted if candidate[0] not in by_name]
    for start in range(0, len(waiting), AT_ONCE):
        folders = [written(candidate, out, pool) for candidate in waiting[start : start + AT_ONCE]]
        real.parquet(folders)
        for verdict in judged(folders, real, options):
            by_name[verdict.folder.name] = verdict
            with book.open("a") as file:
                file.write(verdict.line() + "\n")
            verdict.keep()
            if verdict.agrees:
                shutil.rmtree(verdict.folder)
        print(f"{len(by_name)} of {len(wanted)} judged", file=sys.stderr, flush=True)
    return [by_name[name] for name, *_ in wanted]


def drawn(options: argparse.Namespace, real: Real, pool: Path) -> Iterator[DrawnCandidate]:
    """The candidates of a seed; each depends on its number alone."""
    models = [name for name in MODELS if (pool / name).is_dir()]
    trainers = ["ppo"] if options.ppo else real.trainers
    if options.every:
        yield from every(options, trainers, models, real.reward_funcs)
        return
    for number in options.only or range(options.count):
        name = f"{options.seed}-{number}"
        new_draft = draft(
            random.Random(f"{options.seed}:{number}"), trainers, models, real.reward_funcs
        )
        yield name, new_draft, changed(new_draft)


def every(
    options: argparse.Namespace, trainers: list[str], models: list[str], functions: bool
) -> Iterator[DrawnCandidate]:
    """Each fault of the catalogue alone, in the first healthy runs into which it fits."""
    kind = options.catalogue
    for at, change in enumerate(CATALOGUES[kind]):
        count = 0
        for attempt in range(20):
            if count == options.every:
                break
            new_draft = draft(random.Random(f"{kind}:{at}:{attempt}"), trainers, models, functions)
            if words := change.edit(new_draft):
                count += 1
                yield f"{kind}-{at}-{attempt}", new_draft, [change.told(words, fault=True)]


def changed(draft: Draft) -> list[dict[str, Any]]:
    """Make none to two changes; what they are called, and the words that name them."""
    source, entries = draft.source, []
    harmless = source.sample(HARMLESS, source.choice([0, 1, 2]))
    faulty = source.sample(FAULTY, source.choice([0, 0, 0, 0, 1, 1, 1, 1, 1, 2]))
    for change in [*harmless, *faulty]:
        if words := change.edit(draft):
            entries.append(change.told(words, fault=change in faulty))
    return entries


def written(candidate: DrawnCandidate, out: Path, pool: Path) -> Path:
    """Write a candidate; its folder."""
    name, draft, changes = candidate
    folder = out / name
    shutil.rmtree(folder, ignore_errors=True)
    draft.write(folder, pool)
    description = {"trainer": draft.trainer, "architecture": draft.architecture, "changes": changes}
    (folder / "candidate.json").write_text(json.dumps(description, indent=2))
    return folder


def judged(folders: list[Path], real: Real, options: argparse.Namespace) -> list[Verdict]:
    """What command and doctor say of each, before and after the repair."""
    with tempfile.TemporaryDirectory() as scratch:
        report, difference = reports(folders, options.python, Path(scratch), not options.no_fix)
        ran = real.run(folders)
        fixed = {}
        if difference:
            fixed = repaired(folders, difference, real, Path(scratch))
        verdicts = {
            folder: judge(folder, ran[folder], report.get(folder), fixed.get(folder))
            for folder in folders
        }
        doubtful = [folder for folder, verdict in verdicts.items() if verdict.false_alarm]
        for folder, longer in prolonged(doubtful, real, Path(scratch)).items():
            verdicts[folder] = judge(
                folder, ran[folder], report.get(folder), fixed.get(folder), longer
            )
    return [*verdicts.values()]


def prolonged(folders: list[Path], real: Real, scratch: Path) -> dict[Path, dict[str, Any]]:
    """What the command does with each in a run that comes to every row."""
    copies = {folder: scratch / "longer" / str(folder)[1:] for folder in folders}
    for folder, copy in copies.items():
        copied(folder, copy)
        moved(folder, copy)
        text = (copy / "run.yaml").read_text()
        text = re.sub(r"(?m)^(max_steps|total_episodes): .*$", rf"\1: {LONGER}", text)
        (copy / "run.yaml").write_text(text)
    ran = real.run([*copies.values()])
    return {folder: ran[copy] for folder, copy in copies.items()}


def copied(folder: Path, copy: Path) -> None:
    """A copy of a candidate, without what its run left."""
    shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("out", "real.log"))


def moved(folder: Path, copy: Path) -> None:
    """Let the paths in a candidate's copy lead to the copy."""
    for name in ("run.yaml", "model/adapter_config.json"):
        if (copy / name).is_file():
            text = (copy / name).read_text()
            (copy / name).write_text(text.replace(f"{folder}/", f"{copy}/"))


def repaired(
    folders: list[Path], difference: bytes, real: Real, scratch: Path
) -> dict[Path, dict[str, Any]]:
    """What the command does with a repaired copy of each that the doctor would change.

    The difference is the doctor's, of all candidates in one; its names begin at the root.
    """
    changed = [folder for folder in folders if f"{str(folder)[1:]}/".encode() in difference]
    copies = {folder: scratch / str(folder)[1:] for folder in changed}
    for folder, copy in copies.items():
        copied(folder, copy)
    patch = ["patch", "-p0", "--batch", "--quiet"]
    subprocess.run(patch, input=difference, cwd=scratch, check=True)
    for folder, copy in copies.items():
        moved(folder, copy)
    ran = real.run([*copies.values()])
    return {folder: ran[copy] for folder, copy in copies.items()}


def reports(
    folders: Sequence[Path], python: Path, scratch: Path, repairs: bool
) -> tuple[dict[Path, dict[str, Any]], bytes]:
    """The doctor's report on each candidate, and what its repairs would change."""
    runs = [str(folder / "run.yaml") for folder in folders]
    report = scratch / "report.json"
    command = [str(DOCTOR), "check", "--offline", "--device", "cpu", "--processes", "1"]
    command += ["--python", str(python), "--level", "tiny", "--output", f"json={report}"]
    command += ["--diff", "--unsafe-fixes"] if repairs else []
    variables = {**os.environ, "OMP_NUM_THREADS": "1"}
    process = subprocess.run([*command, *runs], capture_output=True, cwd="/", env=variables)
    if not report.is_file():
        print(
            f"the doctor ended with {process.returncode}: {process.stderr[-800:]!r}",
            file=sys.stderr,
        )
        return {}, b""
    targets = json.loads(report.read_text())["targets"]
    by_folder = {Path("/", target["target"]).parent: target for target in targets}
    return by_folder, process.stdout if repairs else b""


if __name__ == "__main__":
    main()
