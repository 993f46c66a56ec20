"""Writes which releases of transformers have which model types, as far as they are installed.

    .venv/bin/python history/model_types.py

reads the sources of transformers in the pinned environments (`make environments`) and writes
trl_doctor/data/model_types.json: the first and the last of these releases with each type.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from packaging.version import Version

from trl_doctor.facts.library.model_types import config_classes_in
from trl_doctor.facts.library.releases import DATA
from trl_doctor.machine.environment import environment

ROOT = Path(__file__).parents[1]
PLACE = Path(os.environ.get("TRL_DOCTOR_ENVIRONMENTS", ROOT / "environments"))


def main() -> None:
    by_version: dict[Version, set[str]] = {}
    for python in sorted(PLACE.glob("*/bin/python")):
        world = environment(python)
        folder, version = world.source("transformers"), world.version("transformers")
        if folder and version and version not in by_version:
            by_version[version] = set(config_classes_in(folder))
    releases = sorted(by_version)
    types = {
        name: [at for at, release in enumerate(releases) if name in by_version[release]]
        for name in sorted(set().union(*by_version.values()))
    }
    spans = {name: [there[0], there[-1]] for name, there in types.items()}
    data = {"releases": [str(release) for release in releases], "types": spans}
    text = json.dumps(data, separators=(",", ":")).replace('],"', '],\n"')
    (DATA / "model_types.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
