"""The script uses a name that this TRL does not have.

The import fails before anything is loaded. This happens most often in scripts that were copied from
an older example: trainers, configs and helper functions were removed from TRL or moved to
`trl.experimental`.

Remedy: install the last release that has the name, or find its successor in the release notes.

Versions: any; the history of trl's exports says which releases have a trainer or config.

Seen: `from trl import PPOv2Trainer`, `from trl.commands.cli_utils import TrlParser` and `from trl
import get_kbit_device_map` with trl 1.16.0.
"""

import re
from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.library import releases
from trl_doctor.facts.measured.rehearsal import rehearsal
from trl_doctor.facts.rule import Bad, Good, Rule

from .._recorded.rehearsal import FILES, TRL, rehearsed

NAMED = re.compile(
    r"cannot import name '(\w+)'|has no attribute '(\w+)'|No module named '([\w.]+)'"
)


def check(facts: Facts) -> Iterator[Finding]:
    failure = facts[rehearsal].failure
    if failure is None or failure.kind != "gone":
        return
    match = NAMED.search(failure.message)
    name = next((group for group in match.groups() if group), "") if match else ""
    message, remedy = _already_reported(facts, name)
    yield Finding(facts.run.place(), message, (failure.message,), remedy=remedy)


def _already_reported(facts: Facts, name: str) -> tuple[str, str]:
    """What is wrong with a name, and what to install."""
    trl = facts.environment.version("trl")
    lives = releases.exported(name)
    last = lives[-1] if lives else None
    if last is None:
        return f"trl {trl} has no {name}", ""
    if last.gone_in and trl and trl >= last.gone_in:
        return (
            f"this script is for an older trl: {name} was removed in {last.gone_in}, and "
            f"the job uses {trl}",
            f"install trl=={last.last}, the last release that has it",
        )
    if trl and trl < last.first:
        return (
            f"{name} comes with trl {last.first}, and the job uses {trl}"
        ), f"install trl>={last.first}"
    return f"trl {trl} has {name} in another module", "import it from trl itself"


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
            says="this script is for an older trl: PPOv2Trainer was removed in",
        ),
        Bad(
            FILES,
            versions=TRL,
            level="rehearsal",
            answers=rehearsed(
                "ModuleNotFoundError: No module named 'trl.commands'", whose="script", kind="gone"
            ),
            says="trl 1.16.0 has no trl.commands",
        ),
        Good(FILES, versions=TRL, level="rehearsal", answers=rehearsed()),
        Good(FILES, versions=TRL, answers=rehearsed()),
    ),
)
