"""How the time of a check grows with the number of targets and with the size of the vocabulary.

python benchmarks/growth.py
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

from checkpoint import make
from timing import in_turns, milliseconds

TARGETS = (1, 10, 100)
VOCABULARIES = (1_000, 10_000, 50_000, 150_000, 300_000)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    doctor = [
        str(Path(sys.executable).with_name("trl-doctor")),
        "check",
        "--level",
        "files",
        "--allow-incomplete",
    ]
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        small = make(root / "small", 1_000)
        many = [str(shutil.copytree(small, root / f"copy{number}")) for number in range(100)]
        large = {size: str(make(root / f"v{size}", size)) for size in VOCABULARIES}
        targets = in_turns({str(n): [*doctor, *many[:n]] for n in TARGETS}, options.runs)
        sizes = in_turns({str(n): [*doctor, large[n]] for n in VOCABULARIES}, options.runs)
    _table("targets of 1,000 tokens", targets)
    _table("tokens, one target", sizes)


def _table(title: str, seconds: dict[str, list[float]]) -> None:
    print(title)
    first = statistics.median(next(iter(seconds.values())))
    for label, times in seconds.items():
        print(f"{int(label):>9,} {milliseconds(times)}   {statistics.median(times) / first:.2f} x")
    print()


if __name__ == "__main__":
    main()
