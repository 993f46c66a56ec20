"""GRPO cannot use an environment of the run.

GRPO makes one object of the environment for each completion and calls its `reset` with the columns
of the row. A class without `reset` is refused after the model was loaded. With several environments
each row has to name one of them in its column `environment`; a row that does not ends the run
when it is drawn, which can be hours later.

Remedy: give the class a method `reset(self, **kwargs)`; write the names of `environment_factory`
into the column `environment`.

Versions: `environment_factory` came with trl 0.29.0, several environments by 1.8.0. The first 64
rows of a local JSON or CSV file are examined.

Seen: trl#6002. Reproduced with trl 1.16.0: a class without `reset` ("must define a callable
`reset`"), a `reset` that takes no columns, an object in place of its class, a class whose
`__init__` wants an argument, and a row with a name that is none of the environments'
("which is not among the environments passed to `environment_factory`"). With them right it trains.
"""

import json
from collections.abc import Collection, Iterator
from typing import Any

from trl_doctor.core.finding import Finding, Json
from trl_doctor.facts import Facts
from trl_doctor.facts.rows.own import data_key, file_name, own_rows
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.script.tools import ENVIRONMENTS, environment_flaws, environments, given

from .._recorded.scripts import LOCAL, script


def check(facts: Facts) -> Iterator[Finding]:
    places, names = given(facts), environments(facts)
    for problem in environment_flaws(facts):
        yield Finding(places[ENVIRONMENTS], problem)
    if names and None not in names:
        rows = facts.get(own_rows)
        yield from _unknown(facts, rows, names) if rows else ()


def _unknown(
    facts: Facts, rows: list[dict[str, Json]], environments: Collection[str | None]
) -> Iterator[Finding]:
    """The first row whose environment is none of the run's."""
    for number, row in enumerate(rows, 1):
        if (name := row.get("environment")) not in environments:
            names = ", ".join(map(str, environments))
            yield Finding(
                facts.run.place(data_key(facts)),
                f"row {number} of {file_name(facts)} has environment {name!r}; the run has {names}",
            )
            return


ROOM = "class Room:\n    def reset(self, **kwargs):\n        pass\n"
GIVEN = "environment_factory=Room"
TRL = {"trl": "1.16.0"}


def placed(name: str) -> dict[str, Any]:
    """A script with an environment `room`, on a local row that names one."""
    files = script("GRPO", "environment_factory={'room': Room}", before=ROOM, rows=LOCAL)
    row = {"prompt": [{"role": "user", "content": "Go."}], "environment": name}
    return {**files, "rows.jsonl": json.dumps(row) + "\n"}


RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            script("GRPO", GIVEN, before=ROOM.replace("reset", "begin")),
            "train.py",
            versions=TRL,
            says="the environment Room has no method reset",
        ),
        Bad(
            script("GRPO", GIVEN, before=ROOM.replace(", **kwargs", "")),
            "train.py",
            versions=TRL,
            says="has a reset that takes no columns",
        ),
        Bad(
            script("GRPO", f"{GIVEN}()", before=ROOM),
            "train.py",
            versions=TRL,
            says="the environment Room is given as an object",
        ),
        Bad(
            script("GRPO", GIVEN, before=ROOM.replace("reset(self", "__init__(self, size")),
            "train.py",
            versions=TRL,
            says="the environment Room cannot be made without size",
        ),
        Good(script("GRPO", GIVEN, before=ROOM), "train.py", versions=TRL),
        Bad(
            placed("hall"),
            "train.py",
            versions=TRL,
            says="row 1 of rows.jsonl has environment 'hall'; the run has room",
        ),
        Good(placed("room"), "train.py", versions=TRL),
        Good(script("GRPO", "reward_funcs=len"), "train.py", versions=TRL),
    ),
)
