"""What a rehearsal costs beside a real run of the same script, both in forks that import nothing.

    python benchmarks/warm_rehearsals.py [--environment current] [--cases 12] [--seed 0]

Takes some of the scripts that `tests/proofs/rehearsal/two_forms/` has, runs each form for real and
rehearses it, one after the other, and prints processor seconds of a run, of all its processes, and
their ratio. The environments are in `environments/`, or in `TRL_DOCTOR_ENVIRONMENTS`.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path
from zlib import crc32

ROOT = Path(__file__).parents[1]
PATHS = ("fixtures", "tests", "tests/proofs", "tests/proofs/rehearsal")
sys.path[:0] = [str(ROOT / name) for name in PATHS]

import hosts  # noqa: E402
import rehearsing  # noqa: E402
from commands import ran  # noqa: E402
from cpu import used  # noqa: E402
from two_forms import SCRIPTS  # noqa: E402
from two_forms.script import TwoForms  # noqa: E402

FORMS = ("bad", "good")


def main() -> None:
    """Run, rehearse and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--environment", default="current")
    parser.add_argument("--cases", type=int, default=12)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    folder = Path(os.environ.get("TRL_DOCTOR_ENVIRONMENTS", ROOT / "environments"))
    python = folder / options.environment / "bin/python"
    cases = [case for case in SCRIPTS if case.environment == options.environment]
    # by a number of their names: scripts that are added later take the place of a few only
    cases.sort(key=lambda case: crc32(f"{options.seed} {case.name}".encode()))
    chosen = cases[: options.cases]
    seconds(chosen[0], "good", python)  # the libraries are imported here
    pairs = [seconds(case, form, python) for case in chosen for form in FORMS]
    real, rehearsal, ours = (sum(column) / len(pairs) for column in zip(*pairs, strict=True))
    print(
        f"{len(pairs)} scripts: real run {real:.2f} s, rehearsal {rehearsal:.2f} s, of which the "
        f"doctor's own process {ours:.2f} s; ratio {rehearsal / real:.2f}"
    )
    rehearsing.close()
    hosts.close()


def seconds(case: TwoForms, form: str, python: Path) -> tuple[float, float, float]:
    """Processor seconds of the real run, of the rehearsal, and those of this process in it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        case.lay(form, folder)
        begun = used()
        ran(python, "train.py", cwd=folder)
        between, own = used(), time.process_time()
        rehearsing.rehearsal(folder, python, "train.py")
        return between - begun, used() - between, time.process_time() - own


if __name__ == "__main__":
    main()
