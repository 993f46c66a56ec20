"""A command that asks probes: `doctor.py FILE IMPORT...` hangs once FILE is there.

With `--mark MARK` its probe leaves behind what it can, under that name.
"""

from __future__ import annotations

import sys
from pathlib import Path

import click

sys.path.insert(0, str(Path(__file__).parents[1]))

from asking.questions import PYTHON, ask, healthy, hostile

from trl_doctor.asking.probes import Probes
from trl_doctor.core.question import Question


@click.command()
@click.argument("file")
@click.argument("imports", nargs=-1)
@click.option("--mark")
def main(file: str, imports: tuple[str, ...], mark: str | None) -> None:
    hanging = hostile("hang", file=file)
    if mark:
        hanging = hostile("litter", then="hang", file=file, mark=mark)
    question = Question(hanging.probe, "something long", hanging.request, dict, imports)
    with Probes(PYTHON) as probes:
        if not imports:
            ask(probes, healthy())
        ask(probes, question)


if __name__ == "__main__":
    main()
