"""The script uses a name that this TRL does not have.

The import fails before anything is loaded. This happens most often in scripts that were copied from
an older example: trainers, configs and helper functions were removed from TRL or moved to
`trl.experimental`.

Remedy: install the last release that has the name, or find its successor in the release notes.

Versions: any; what trl 0.7.11 to 1.16.0 offered is known.

Seen: `from trl import PPOv2Trainer`, `from trl.commands.cli_utils import TrlParser` and `from trl
import get_kbit_device_map` with trl 1.16.0.
"""

import re
from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.library import lost_names
from trl_doctor.facts.measured.rehearsal import rehearsal
from trl_doctor.facts.rule import Bad, Good, Rule

from .._recorded.rehearsal import FILES, TRL, rehearsed

NAMED = (
    r"cannot import name '(?P<name>\w+)' from '(?P<module>trl[\w.]*)'",
    r"module '(?P<module>trl[\w.]*)' has no attribute '(?P<name>\w+)'",
    r"No module named '(?P<name>[\w.]+)'",
)


def check(facts: Facts) -> Iterator[Finding]:
    failure = facts[rehearsal].failure
    if failure is None or failure.kind != "gone":
        return
    version = facts.environment.known_version("trl")
    match = next(filter(None, (re.search(pattern, failure.message) for pattern in NAMED)), None)
    names = match.groupdict() if match else {}
    name, module = names.get("name", "a name"), names.get("module", "trl")
    message, remedy = lost_names.missing(version, name, module) or (
        f"trl {version} has no {name}" + (f" in {module}" if module != "trl" else ""),
        "",
    )
    yield Finding(facts.run.place(), message, (failure.message,), remedy=remedy)


RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            FILES,
            versions=TRL,
            level="rehearsal",
            answers=rehearsed(
                "ImportError: cannot import name 'PPOv2Trainer' from 'trl' (/x/trl/__init__.py)",
                whose="script",
                kind="gone",
            ),
            says="trl 1.16.0 has no PPOv2Trainer: trl 0.12.2 was the last with it",
        ),
        Bad(
            FILES,
            versions=TRL,
            level="rehearsal",
            answers=rehearsed(
                "ModuleNotFoundError: No module named 'trl.commands'", whose="script", kind="gone"
            ),
            says="trl 1.16.0 has no trl.commands: trl 0.12.2 was the last with it",
        ),
        Bad(
            FILES,
            versions=TRL,
            level="rehearsal",
            answers=rehearsed(
                "ImportError: cannot import name 'ORPOConfig' from 'trl' (/x/trl/__init__.py)",
                whose="script",
                kind="gone",
            ),
            says="trl 1.16.0 offers ORPOConfig in trl.experimental.orpo, no longer in trl",
        ),
        Good(FILES, versions=TRL, level="rehearsal", answers=rehearsed()),
        Good(FILES, versions=TRL, answers=rehearsed()),
    ),
)
