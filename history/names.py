"""Writes `trl_doctor/data/trl_names.json` from the wheels: names and modules that trl has lost.

Run it where pip is, with trl-doctor installed, and commit what it changes:

    python history/names.py --cache ~/.cache/trl-history

Trainers and configs are in `trl_releases.json` (`collect.py`, with the same cache). Here are the
functions, collators and other classes that `trl` offered, and its modules, unless the newest
release still has them.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from collect import DATA, FIRST_TRL, offered, steps, unpacked, write

from trl_doctor.facts.library import exports
from trl_doctor.facts.library.classes import Sources


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cache", type=Path, required=True, help="where unpacked wheels are kept")
    given = parser.parse_args()
    seen = {}
    for release in (version for version in offered("trl") if version >= FIRST_TRL):
        folder = unpacked(given.cache, "trl", release, r"trl/.*\.py|.*/METADATA") / "trl"
        seen[str(release)] = names(folder) | modules(folder)
    last = list(seen.values())[-1]
    lost_names = sorted({name for group in seen.values() for name in group} - last)
    content = {
        "_about": "What trl had and has no more, read from the wheels on PyPI by "
        "history/names.py. A step is [since, true]; [since] alone means gone.",
        "releases": list(seen),
        "names": {
            name: steps({release: name in group or ... for release, group in seen.items()})
            for name in lost_names
        },
    }
    write(DATA / "trl_names.json", content)


def names(folder: Path) -> set[str]:
    """What `from trl import …` finds, but for trainers and configs."""
    exported_names = exports.exported(Sources({"trl": folder}), "", experiments=False)
    return {name for name in exported_names if not name.endswith(("Trainer", "Config"))}


def modules(folder: Path) -> set[str]:
    """The modules of trl by their dotted names."""
    result = set()
    for file in folder.rglob("*.py"):
        parts = file.relative_to(folder.parent).with_suffix("").parts
        result.add(".".join(part for part in parts if part != "__init__"))
    return result


if __name__ == "__main__":
    sys.exit(main())
