"""The Hub refuses a model that the run names.

The model is gated and its terms are not accepted, it is private, or it does not exist. The job
waits in the queue, starts, and fails when it loads the model.

Remedy: accept the terms on the model's page with the account of the job's token, and log in on the
machine of the job; or correct the name.

Versions: every release. If the run's libraries are not on this machine it is a warning: the other
machine may have another token. With --offline the rule is skipped.

Seen: reproduced with `python -m trl.scripts.sft`, trl 1.16.0, against a Hub on this machine with a
gated model and no token: "GatedRepoError: 401 Client Error"; with the token it trains.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json, Severity
from trl_doctor.core.unavailable import NotConcerned, Unavailable, Withheld
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.surroundings import Surroundings, this_machine


def check(facts: Facts) -> Iterator[Finding]:
    if facts.run.target.kind == "model" or not facts.run.models:
        raise NotConcerned("the run names no model")
    for model in facts.run.models.values():
        if isinstance(model.folder, Withheld):
            yield Finding(model.place, str(model.folder), severity=_severity(facts))


def _severity(facts: Facts) -> Severity | None:
    """Milder where the run will happen on another machine, perhaps with another token."""
    try:
        this_machine(facts)
    except Unavailable:
        return "warning"
    return None


RUN: dict[str, Json] = {"trainer": "sft", "model_name_or_path": "org/gated"}
WHY = "org/gated is gated: accept its terms, then run `hf auth login`"
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            {"run.json": RUN},
            machine=Surroundings(withheld={"org/gated": WHY}),
            says="org/gated is gated",
        ),
        Good({"run.json": {**RUN, "model_name_or_path": "org/open"}}, machine=Surroundings()),
        Good({"run.json": {"trainer": "sft"}}),
    ),
)
