"""The checkpoints of the run do not fit on the disk.

Every checkpoint holds the weights and the optimizer's states: three times the size of the model if
all of it is trained. Without save_total_limit all checkpoints are kept, and the run fails while it
saves one, hours after it started.

Remedy: set save_total_limit or save_only_model, raise save_steps, or save to a larger disk.

Versions: any. The disk is the one of output_dir on this machine; sizes are those of the step that
`--gpu` traces.

Seen: not provoked: no disk was filled. The sizes are weights plus optimizer states of the forecast.
"""

import shutil
from collections.abc import Iterator
from pathlib import Path

from trl_doctor.core.finding import Finding
from trl_doctor.core.sizes import shown
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.forecast.duration import checkpoints
from trl_doctor.facts.forecast.hardware import hardware
from trl_doctor.facts.forecast.memory import forecast
from trl_doctor.facts.rule import Bad, Good, Rule

from ._recorded.fit import LARGE, RUN, TRACED

SAVED = "save_steps"


def check(facts: Facts) -> Iterator[Finding]:
    facts[hardware]
    if facts.run.arguments.get("save_strategy") == "no":
        raise NotConcerned("the run saves no checkpoints (save_strategy)")
    one, kept, said = checkpoints(facts, facts[forecast])
    if kept is None:
        raise Unavailable(f"the number of checkpoints that are kept is not known: {said}")
    free = shutil.disk_usage(_disk(facts)).free
    if one * kept > free:
        yield Finding(
            facts.run.place("save_total_limit"),
            f"{kept} checkpoints of {shown(one)} take {shown(one * kept)}, and the disk has "
            f"{shown(free)} left",
            evidence=(said,),
        )


def _disk(facts: Facts) -> Path:
    """The nearest folder above output_dir that exists."""
    said = facts.run.arguments.get("output_dir")
    path = facts.run.roots[0] / (said if isinstance(said, str) else "")
    while not path.exists():
        path = path.parent
    return path


NEW = {"trl": "1.16.0", "transformers": "5.23.0"}
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            {**LARGE, "run.json": {**RUN, "max_steps": 10**9}},
            versions=NEW,
            gpu="H100",
            answers=TRACED,
            says="10000000 checkpoints of 85.1 GiB take",
        ),
        Good(
            {**LARGE, "run.json": {**RUN, "save_strategy": "no"}},
            versions=NEW,
            gpu="H100",
            answers=TRACED,
        ),
        Good(
            {**LARGE, "run.json": {**RUN, "max_steps": None}},
            versions=NEW,
            gpu="H100",
            answers=TRACED,
            skipped="how many steps the run has is not known",
        ),
        Good(LARGE, versions=NEW),
    ),
)
