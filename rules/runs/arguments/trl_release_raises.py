"""This release of TRL has a known bug that ends the run.

The run fails at the import, at its first step or at its first log, with an error whose cause is not
in the run: the release has a bug that is triggered by the run's arguments or by other packages.

Remedy: install a release with the fix, or do what the finding proposes.

Versions: each bug has its own range of releases of TRL, and of other packages if they are involved.
`trl-doctor advisories --all` lists all of them with their conditions.

Seen: for an error, a small script failed with it in a release inside the range, and ran in the
releases on either side. A warning is based on TRL's source, which the advisory quotes by tag, file
and line.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.known_bugs import bugs_of_run
from trl_doctor.facts.rule import Bad, Good, Rule

from ..._recorded.candidate import RUN, RUN_VLLM


def check(facts: Facts) -> Iterator[Finding]:
    for bug in bugs_of_run(facts, "raises"):
        yield Finding(
            facts.run.place(*([bug.key] if bug.key else [])),
            bug.message,
            bug.evidence,
            severity=None if bug.bug.reproduced else "warning",
            remedy=bug.remedy,
        )


COLOCATED = {**RUN_VLLM, "vllm_mode": "colocate"}
DPO = {**RUN, "trainer": "dpo"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="FSDPModule|name 'nn' is not defined|No module named 'requests'"
    r"|log\(\) takes 2 positional arguments",
    examples=(
        Bad(
            {"run.json": COLOCATED},
            versions={"trl": "0.19.0", "transformers": "4.51.3", "torch": "2.7.0"},
            says="trl 0.19.0: the colocated engine fails if generation_kwargs is not set",
            severity="warning",
        ),
        Bad(
            {"run.json": DPO},
            versions={"trl": "0.12.1", "transformers": "4.48.3", "torch": "2.7.0"},
            says="trl 0.12.1: trainers of preferences fail at the first log",
        ),
        Bad(
            {"run.json": DPO},
            versions={"trl": "1.13.0", "transformers": "4.57.6", "torch": "2.5.1"},
            says="trl 1.13.0: the trainer does not import with torch before 2.6",
        ),
        Good(
            {"run.json": COLOCATED},
            versions={"trl": "0.19.1", "transformers": "4.51.3", "torch": "2.7.0"},
        ),
        Good(
            {"run.json": {**COLOCATED, "generation_kwargs": {"seed": 1}}},
            versions={"trl": "0.19.0", "transformers": "4.51.3", "torch": "2.7.0"},
        ),
        Good({"run.json": DPO}, versions={"trl": "0.12.1", "transformers": "4.46.3"}),
        Good(
            {"run.json": DPO},
            versions={"trl": "0.12.1"},
            skipped="the version of transformers is not known",
        ),
        Good(
            {"run.json": DPO}, versions={"trl": "1.14.0", "torch": "2.5.1", "transformers": "5.0.0"}
        ),
    ),
)
