"""The Hub refuses a model that the run names.

The model is gated and its terms are not accepted, it is private, or it does not exist. The job
waits in the queue, starts, and fails when it loads the model.

Remedy: accept the terms on the model's page with the account of the job's token, and log in on the
machine of the job; or correct the name.

Versions: every release. It is an error where the token of this machine is refused. Without a token
here it is a warning, as for `login-missing`: the job may have one. It is also a warning if the
run's libraries are not on this machine. With --offline the rule is skipped.

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
    """Milder where the job may have another token: on another machine, or where there is none."""
    try:
        return None if this_machine(facts).hub_login() else "warning"
    except Unavailable:
        return "warning"


RUN: dict[str, Json] = {"trainer": "sft", "model_name_or_path": "org/gated"}
WHY = "org/gated is gated: accept its terms, then run `hf auth login`"
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            {"run.json": RUN},
            machine=Surroundings(withheld={"org/gated": WHY}, variables={"HF_TOKEN": "hf_x"}),
            says="org/gated is gated",
        ),
        Bad(
            {"run.json": RUN},
            machine=Surroundings(withheld={"org/gated": WHY}, variables={}),
            says="org/gated is gated",
            severity="warning",
        ),
        Good({"run.json": {**RUN, "model_name_or_path": "org/open"}}, machine=Surroundings()),
        Good({"run.json": {"trainer": "sft"}}),
    ),
)
