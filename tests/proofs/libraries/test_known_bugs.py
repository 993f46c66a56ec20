"""The advisories' scripts, run in the pinned releases, and the quoted lines of those releases.

Which other releases show a bug is a benchmark: `python benchmarks/advisories.py --python PY`.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import ran
from laid import Interpreter

from trl_doctor.facts.library.advisories import Advisory, advisories
from trl_doctor.machine.environment import environment

ENVIRONMENTS = ("ppo-first", "grpo-first", "four", "current")
"""Each shows or lacks many of them; few, so that each is imported once."""
SCRIPTS = Path(__file__).parents[1] / "advisories"


@pytest.mark.slow
@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_bugs_show_in_the_releases_that_have_them(
    environment: str, interpreter: Interpreter
) -> None:
    python = interpreter(environment)
    wanted = {advisory.id: runs[release] for advisory, runs, release in recorded(python)}
    assert wanted
    seen = {}
    for name in wanted:
        script = SCRIPTS / f"{name.lower().replace('-', '_')}.py"
        process = ran(python, script)
        last = [*process.stdout.splitlines(), process.stderr[-500:]]
        seen[name] = next(
            (line.split(":")[0] for line in last if line.startswith(("shown:", "absent:"))),
            last[-1],
        )
    assert seen == wanted


def recorded(python: Path) -> list[tuple[Advisory, dict[str, str], str]]:
    """What each advisory has recorded of an environment's release, once shown and once absent."""
    release = str(environment(python).version("trl"))
    entries = []
    for advisory in advisories():
        runs = advisory.osv["database_specific"].get("runs", {})
        if release in runs and not advisory.libraries:
            entries.append((advisory, runs, release))
    return entries


@pytest.mark.slow
@pytest.mark.parametrize("environment", ["ppo-first", "four", "ppo-last", "current"])
def test_quoted_lines_are_those_of_the_release(environment: str, interpreter: Interpreter) -> None:
    python = interpreter(environment)
    quoted = quotes(python)
    assert quoted
    for file, number, text in quoted:
        assert text in file.read_text("utf-8").splitlines()[number - 1], file


def quotes(python: Path) -> list[tuple[Path, int, str]]:
    """The lines that advisories quote from an environment's release."""
    world = environment(python)
    release, folder = str(world.version("trl")), world.source("trl")
    assert folder
    return [
        (folder.parent / source["file"], source["line"], source["text"])
        for advisory in advisories()
        for source in advisory.osv["database_specific"].get("sources", ())
        if source["release"] == release
    ]
