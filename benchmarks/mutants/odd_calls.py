"""Ordinary scripts with one mistake in what they call: what each does, and what the doctor tells.

    python benchmarks/mutants/odd_calls.py --trainers SFT GRPO DPO [--environment current]
        [--out DIR]

`calls/TRAINER.py` is a healthy script, `calls/TRAINER.json` has pieces of it, each with what is
easily written in place of it: wrong values, names, kinds and orders in calls of datasets,
transformers, peft and TRL. They were written before the doctor was asked about them. The rest is
as in `odd_values.py`.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import mutated_scripts as judged
from reports import report as small
from reports.report import Report

from mutants.mutations import Mutant
from mutants.odd_values import print_judged, verdicts_of

CALLS = Path(__file__).with_name("calls")
ROWS = {"SFT": small.COMPLETIONS, "GRPO": "", "DPO": small.PREFERENCES}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--trainers", nargs="+", default=list(ROWS))
    parser.add_argument("--environment", default="current")
    parser.add_argument("--out", type=Path, default=Path("build/odd-calls"))
    options = parser.parse_args()
    folder = Path(os.environ.get("TRL_DOCTOR_ENVIRONMENTS", judged.ROOT / "environments"))
    python = folder / options.environment / "bin/python"
    options.out.mkdir(parents=True, exist_ok=True)
    for trainer in options.trainers:
        script = (CALLS / f"{trainer}.py").read_text()
        pieces = json.loads((CALLS / f"{trainer}.json").read_text())
        files = {"train.py": script, "rows.jsonl": ROWS[trainer]}
        report = Report(trainer, options.environment, "", "", files, {})
        with tempfile.TemporaryDirectory() as name:
            verdicts = verdicts_of(report, python, Path(name), list(mutants_of(script, pieces)))
            print_judged(verdicts, trainer, options.out / f"{trainer}-{options.environment}.jsonl")
    judged.rehearsing.close()
    judged.hosts.close()


def mutants_of(script: str, pieces: Mapping[str, Sequence[str]]) -> Iterator[Mutant]:
    """The script with each piece replaced by each of its mistakes, at its last place."""
    for piece, mistakes in pieces.items():
        before, _, after = script.rpartition(piece)
        for mistake in mistakes:
            line = before.count("\n") + 1
            yield Mutant(
                piece.split("\n")[0].strip(), line, piece, mistake, before + mistake + after
            )


if __name__ == "__main__":
    main()
