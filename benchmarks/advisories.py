"""Which release of TRL shows which known bug: the advisories' scripts, run in each interpreter.

    python benchmarks/advisories.py --python PY [--python PY...] [--only ID...] [--record]

Prints a table of advisories by release: shown, absent, or in brackets why the script says neither.
A `!` marks what disagrees with the advisory's range. `--record` writes what was seen into the
advisories. Exits with 1 where one disagrees.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from packaging.version import Version
from tabulate import tabulate

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT / "tests/proofs"))

import hosts  # noqa: E402

from trl_doctor.facts.known_bugs import known_versions  # noqa: E402
from trl_doctor.facts.library.advisories import FOLDER, Advisory, advisories  # noqa: E402
from trl_doctor.machine.environment import environment  # noqa: E402

SCRIPTS = ROOT / "tests/proofs/advisories"
QUIET = {
    "OMP_NUM_THREADS": "1",
    "CUDA_VISIBLE_DEVICES": "",
    "HF_HUB_OFFLINE": "1",
    "TOKENIZERS_PARALLELISM": "false",
}

Columns = list[tuple[str, dict[str, str]]]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--python", type=Path, action="append", required=True)
    parser.add_argument("--only", action="append", default=[], metavar="ID")
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    chosen = [
        advisory
        for advisory in advisories()
        if script(advisory) and advisory.id in (options.only or [advisory.id])
    ]
    columns: Columns = []
    for python in options.python:
        release = str(environment(python).version("trl"))
        columns.append((release, dict(_column(python.absolute(), chosen))))
        hosts.close()
    wrong = set(_disagreeing(chosen, columns))
    rows = [
        [
            advisory.id,
            *(cells[advisory.id] + " !" * ((advisory.id, trl) in wrong) for trl, cells in columns),
        ]
        for advisory in chosen
    ]
    print(tabulate(rows, headers=["trl", *(trl for trl, _ in columns)]))
    if options.record:
        _record(chosen, columns)
    return bool(wrong)


def script(advisory: Advisory) -> Path | None:
    """The script that shows an advisory's bug; None where only its source is quoted."""
    file = SCRIPTS / f"{advisory.id.lower().replace('-', '_')}.py"
    return file if file.is_file() else None


def _column(python: Path, chosen: Sequence[Advisory]) -> Iterator[tuple[str, str]]:
    world = environment(python)
    for advisory in chosen:
        if advisory.fits_libraries(known_versions(advisory, world)) is False:
            yield advisory.id, "(other libraries)"
            continue
        process = hosts.real_run(python, [str(script(advisory))], own=QUIET)
        yield advisory.id, seen(process.stdout, process.stderr)


def seen(output: str, errors: str) -> str:
    """`shown` or `absent`, as a script printed it; else the last line of its error."""
    for line in reversed(output.splitlines()):
        word, colon, _ = line.partition(":")
        if colon and word in ("shown", "absent"):
            return word
    lines = errors.strip().splitlines() or ["no answer"]
    return f"({lines[-1][:70]})"


def _disagreeing(chosen: Sequence[Advisory], columns: Columns) -> Iterator[tuple[str, str]]:
    for advisory in chosen:
        for trl, cells in columns:
            inside = any(span.has(Version(trl)) for span in advisory.affected)
            if cells[advisory.id] == ("absent" if inside else "shown"):
                yield advisory.id, trl


def _record(chosen: Sequence[Advisory], columns: Columns) -> None:
    for advisory in chosen:
        file = FOLDER / f"{advisory.id}.json"
        data = json.loads(file.read_text("utf-8"))
        runs = data["database_specific"].setdefault("runs", {})
        runs.update(
            {trl: cells[advisory.id] for trl, cells in columns if cells[advisory.id][0] != "("}
        )
        data["database_specific"]["runs"] = dict(
            sorted(runs.items(), key=lambda at: Version(at[0]))
        )
        file.write_text(json.dumps(data, indent=2, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    sys.exit(main())
