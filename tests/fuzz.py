"""Mutated targets by the thousand: none may crash the doctor, hang it or spoil its reports.

`python tests/fuzz.py --runs 100000 --seed 7` prints what goes wrong, each once and made small.
Repairs are planned for every target (`--diff --unsafe-fixes`). Run files, scripts, notebooks,
launch files, settings, every file of a model, adapters, accelerate and DeepSpeed configs, rows in
each format and a model in the Hub's cache are mutated; `fuzzing` says how.
"""

from __future__ import annotations

import argparse
import gc
import os
import random
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from fuzzing.ground import Failure, Ground, case

from trl_doctor.asking import rendering as chat_rendering
from trl_doctor.facts import chat_template
from trl_doctor.facts.rule import Rule

PART = 1000
"""Targets after which the next seed of the generator begins, so that a part can be run again."""


def peak() -> float:
    """The most memory that this process ever had, in MiB."""
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return used / (2**20 if sys.platform == "darwin" else 2**10)


def memory() -> Path | None:
    """A folder in memory, where this system has one."""
    shared = Path("/dev/shm")
    return shared if os.access(shared, os.W_OK) else None


@contextmanager
def hasty_renderer() -> Iterator[None]:
    """Chat templates rendered for real, within less time than a user grants them."""
    with chat_rendering.Renderer(chat_rendering.RenderingLimits(cpu_s=1, wall_s=3.0)) as renderer:
        shared = chat_template.shared
        chat_template.shared = lambda: renderer  # type: ignore[assignment]
        try:
            yield
        finally:
            chat_template.shared = shared


def run(
    runs: int,
    seed: int,
    folder: Path,
    rules: tuple[Rule, ...] | None = None,
    diff_every: int = 1,
) -> Mapping[str, Failure]:
    """Examine so many mutated targets; the failures by key."""
    ground, chance = Ground(folder, rules), random.Random(seed)
    failures: dict[str, Failure] = {}
    with hasty_renderer():
        for number in range(runs):
            mutated = case(chance, ground.known)
            failed = ground.failure(mutated, diff=number % diff_every == 0)
            if failed and failed.key not in failures:
                failures[failed.key] = ground.small(failed)
    return failures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--diff-every", type=int, default=1)
    options = parser.parse_args()
    before, began, total, failures = peak(), time.monotonic(), 0, dict[str, Failure]()
    tempfile.tempdir = str(memory() or tempfile.gettempdir())
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
    for seed in range(options.seed, options.seed + -(-options.runs // PART)):
        folder = Path(tempfile.mkdtemp(prefix="trl-doctor-fuzz-", dir=memory()))
        runs = min(PART, options.runs - total)
        try:
            new_failures = run(runs, seed, folder, diff_every=options.diff_every)
        finally:
            shutil.rmtree(folder)
        for key, failure in new_failures.items():
            if key not in failures:
                print(f"\n== {key}\n{failure.detail}\n{failure.case}"[:6000], flush=True)
        failures.update(new_failures)
        total += runs
        print(
            f"{total:,} targets, seeds {options.seed} to {seed}, {time.monotonic() - began:.0f} s, "
            f"{time.process_time():.0f} s of the processor, {peak() - before:.0f} MiB more at the "
            f"peak, {len(failures)} failures",
            flush=True,
        )
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
