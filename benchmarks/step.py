"""What the doctor's tiny training step costs, against a bare TRL script that does the same step.

    python benchmarks/step.py --python PATH_TO_AN_INTERPRETER_WITH_TRL [--cold]

The bare script is the `repeat.py` that `--keep` leaves; the doctor's command asks that one
question, or all questions of the run. Prints whole-process times taken in turns in one run, their
ratios pair by pair, and the peak memory of the largest process of each. `--cold` drops the
interpreter's files from the page cache before every run.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from timing import ratio

ROOT = Path(__file__).parent.parent
MIB = 2**20
TAKE = "import os, resource, subprocess, sys; subprocess.run(sys.argv[1:], stdout=2); "
TAKE += "used = resource.getrusage(resource.RUSAGE_CHILDREN); "
TAKE += "print(used.ru_utime + used.ru_stime, used.ru_maxrss)"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--python", required=True, help="an interpreter with trl")
    parser.add_argument("--run", default=str(ROOT / "fixtures/grpo.yaml"))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--cold", action="store_true")
    options = parser.parse_args()
    doctor = str(Path(sys.executable).with_name("trl-doctor"))
    check = [doctor, "check", options.run, "--python", options.python, "--level", "tiny"]
    with tempfile.TemporaryDirectory() as name:
        kept = subprocess.run(
            [*check, "--keep", name, "--format", "json"], capture_output=True, check=False
        )
        probes = json.loads(kept.stdout)["targets"][0]["probes"]
        told_alone(probes)
        commands = {
            "bare TRL script": [options.python, f"{name}/step/work/repeat.py"],
            "trl-doctor: the step alone": [*check, "--select", "step-*"],
            "trl-doctor: all questions": check,
        }
        environment = Path(options.python).parents[1] if options.cold else None
        seconds, memory, processor = in_turns(commands, options.runs, environment)
    print("cold" if options.cold else "warm")
    for label, times in seconds.items():
        middle = statistics.median(times)
        print(f"{label:30} {middle:6.2f} s  ({min(times):.2f} to {max(times):.2f})"
              f"   {max(memory[label]) / MIB:5.0f} MiB")  # fmt: skip
    bare, alone, everything = seconds.values()
    print(f"\nthe step alone / bare script    {ratio(alone, bare)}   aim: at most 1.15")
    print(f"all questions / the step alone  {ratio(everything, alone)}")
    bare, alone, everything = processor.values()
    print(f"processor seconds, the same two {ratio(alone, bare)}")
    print(f"                                {ratio(everything, alone)}")


def told_alone(probes: Sequence[dict[str, object]]) -> None:
    """What each question took inside its own process, after the imports."""
    for probe in probes:
        print(f"  {probe['label']!s:30} {probe['seconds']:6.2f} s  "
              f"{int(str(probe['memory'])) / MIB:5.0f} MiB  {probe['state']}")  # fmt: skip
    print()


def in_turns(
    commands: dict[str, list[str]], runs: int, cold: Path | None
) -> tuple[dict[str, list[float]], dict[str, list[int]], dict[str, list[float]]]:
    """Of each run by command, after one round that does not count: seconds, peak bytes, and the
    seconds of processors, which other programs on the machine change little.
    """
    seconds: dict[str, list[float]] = {name: [] for name in commands}
    processor: dict[str, list[float]] = {name: [] for name in commands}
    memory: dict[str, list[int]] = {name: [] for name in commands}
    world = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    world |= {"OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""}
    for number in range(runs + 1):
        for name, command in commands.items():
            if cold:
                forget(cold)
            start = time.perf_counter()
            process = subprocess.run(
                [sys.executable, "-c", TAKE, *command], capture_output=True, env=world, check=True
            )
            if number:
                seconds[name].append(time.perf_counter() - start)
                used, most = process.stdout.split()[-2:]
                memory[name].append(int(most) * 1024)
                processor[name].append(float(used))
    return seconds, memory, processor


def forget(environment: Path) -> None:
    """Drop the files of an environment from the page cache."""
    for file in environment.rglob("*"):
        if file.is_file():
            descriptor = os.open(file, os.O_RDONLY)
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
            os.close(descriptor)


if __name__ == "__main__":
    main()
