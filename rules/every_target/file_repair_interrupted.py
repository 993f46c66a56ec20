"""A repair of this folder was interrupted.

Its process was killed while it exchanged files. Some files may be new and some old, although they
belong together.

Remedy: `trl-doctor check TARGET --fix` completes the repair, and `trl-doctor undo FOLDER` undoes
it.

Versions: every release.

Seen: tested: trl-doctor killed at every system call of a repair; each time one of the two commands
leaves all files new or all files old.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Place
from trl_doctor.core.records import RECORDS, UNFINISHED
from trl_doctor.facts import Facts
from trl_doctor.facts.folders import folders
from trl_doctor.facts.rule import Bad, Good, Rule


def check(facts: Facts) -> Iterator[Finding]:
    target = facts.run.target
    paths = [folder.path for folder in folders(facts)]
    if target.kind == "run":
        paths.append(target.path.parent)
    for path in paths:
        record = path / RECORDS / UNFINISHED
        if record.exists():
            yield Finding(Place(record), f"a repair of {path.name} was interrupted")


RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            {"m/config.json": {"model_type": "llama"}, f"m/{RECORDS}/{UNFINISHED}": "{}"},
            target="m",
            says="a repair of m was interrupted",
        ),
        Good({"m/config.json": {"model_type": "llama"}}, target="m"),
    ),
)
