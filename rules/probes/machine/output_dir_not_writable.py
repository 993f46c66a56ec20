"""The run cannot write to its output_dir.

The trainer creates this folder when it starts: the job waits in the queue, loads the model on every
GPU, and fails. If only writing files fails, the run ends at the first checkpoint.

Remedy: name a folder that the job's user may write to, and whose path contains no file.

Versions: every release. Examined only on the machine that has the run's libraries: another machine
has other disks.

Seen: reproduced with `python -m trl.scripts.sft`, trl 1.16.0, with an output_dir below a file:
"NotADirectoryError: [Errno 20] Not a directory"; with a folder that can be made it trains.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.surroundings import Surroundings, output_dir, this_machine


def check(facts: Facts) -> Iterator[Finding]:
    folder = facts.run.arguments.get("output_dir")
    if not isinstance(folder, str):
        raise NotConcerned("the run names no output_dir")
    if reason := this_machine(facts).refuses(output_dir(facts)):
        yield Finding(
            facts.run.place("output_dir"), f"output_dir {folder} cannot be used: {reason}"
        )


RUN: dict[str, Json] = {"trainer": "sft", "model_name_or_path": "m", "output_dir": "out/sft"}
HERE = Surroundings()
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad({"run.json": RUN, "out": "notes"}, machine=HERE, says="out is a file"),
        Good({"run.json": RUN}, machine=HERE),
        Good({"run.json": RUN, "out/notes": "notes"}, machine=HERE),
        Good({"run.json": {"trainer": "sft", "model_name_or_path": "m"}}, machine=HERE),
        Good({"run.json": RUN, "out": "notes"}, skipped="no answers of probes"),
    ),
)
