"""How many targets a second: 1, 10, 100 and 1000 run files, with one process and with two.

python benchmarks/targets.py [NUMBER ...]
"""

from __future__ import annotations

import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

FIXTURES = Path(__file__).parent.parent / "fixtures"


def main() -> None:
    numbers = [int(argument) for argument in sys.argv[1:]] or [1, 10, 100, 1000]
    print("targets  jobs  seconds  targets a second  CPU seconds")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(FIXTURES / "models", folder / "models")
        shutil.copytree(FIXTURES / "data", folder / "data")
        text = (FIXTURES / "sft.yaml").read_text()
        for number in range(max(numbers)):
            (folder / f"run{number:04}.yaml").write_text(f"{text}seed: {number}\n")
        for number in numbers:
            for jobs in (1, 2):
                took, busy = _timed(folder, number, jobs)
                speed = f"{number / took:16.1f}  {busy:11.2f}"
                print(f"{number:7}  {jobs:4}  {took:7.2f}  {speed}", flush=True)


def _timed(folder: Path, number: int, jobs: int) -> tuple[float, float]:
    """The seconds of the clock, and of the processors: other work on the machine matters less."""
    doctor = Path(sys.executable).with_name("trl-doctor")
    files = [f"run{index:04}.yaml" for index in range(number)]
    command = [str(doctor), "check", "--level", "files", "--offline", "--quiet", *files]
    begin, before = time.perf_counter(), _busy()
    process = subprocess.run([*command, "--jobs", str(jobs)], cwd=folder, stdout=subprocess.DEVNULL)
    assert process.returncode == 0, process.returncode
    return time.perf_counter() - begin, _busy() - before


def _busy() -> float:
    """The CPU seconds of all processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
