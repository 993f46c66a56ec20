"""The run needs a login that is missing here.

`push_to_hub` creates its repository before the first step, and wandb asks for its key. Without a
login the job waits in the queue, loads the model on every GPU, and fails.

Remedy: log in on the machine that trains (`hf auth login`, `wandb login`), or set the token in the
job's environment.

It is a warning, for the Hub as for wandb: a login belongs to the machine and the account that start
the job, and these are often others than those of the check. On this machine, the job would fail.

If a script logs in itself (`login()`, `wandb.login()`, `os.environ["HF_TOKEN"] = …`), the rule
assumes that it can.

Versions: every release. The rule only tests whether a token exists; it sends nothing, so it does
not notice a token that has expired. Examined only on the machine that has the run's libraries.

Seen: reproduced with `python -m trl.scripts.sft` without a token. push_to_hub, trl 1.16.0, 0.24.0
and 0.19.1, with a Hub that answers 401: "HfHubHTTPError: 401 Client Error". report_to wandb, trl
1.16.0 with wandb 0.28: "UsageError: No API key configured".
"""

from collections.abc import Iterator
from urllib.parse import urlsplit

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.surroundings import Surroundings, this_machine


def check(facts: Facts) -> Iterator[Finding]:
    run = facts.run
    pushes, logs = run.flag("push_to_hub"), "wandb" in _services(facts)
    if not pushes and not logs:
        raise NotConcerned("the run uses no service that needs a login")
    machine = this_machine(facts)
    if pushes and not run.arguments.get("hub_token") and not machine.hub_login():
        message = "push_to_hub needs a token of the Hub, but there is none here"
        remedy = "run `hf auth login`, or set HF_TOKEN"
        yield Finding(run.place("push_to_hub"), message, remedy=remedy)
    if logs and not _wandb(machine):
        message = "report_to wandb needs a login, but there is none here"
        remedy = "run `wandb login`, or set WANDB_API_KEY, or WANDB_MODE=offline"
        yield Finding(run.place("report_to"), message, remedy=remedy)


def _services(facts: Facts) -> list[Json]:
    reporters = facts.run.arguments.get("report_to")
    return reporters if isinstance(reporters, list) else [reporters]


def _wandb(machine: Surroundings) -> bool:
    """Whether wandb will find a key, or is set to work without one."""
    if "wandb" in machine.logged_in:
        return True
    if machine.variable("WANDB_MODE") in ("offline", "disabled", "dryrun", "shared"):
        return True
    if machine.variable("WANDB_DISABLED").lower() in ("1", "true", "yes", "on"):
        return True
    host = urlsplit(machine.variable("WANDB_BASE_URL")).hostname or "api.wandb.ai"
    return bool(machine.variable("WANDB_API_KEY")) or machine.netrc_names(host)


RUN: dict[str, Json] = {"trainer": "sft", "model_name_or_path": "m"}
ITSELF = Surroundings(variables={}, logged_in=frozenset(("hub", "wandb")))
NOBODY, SOMEBODY = Surroundings(variables={}), Surroundings(variables={"HF_TOKEN": "hf_x"})
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad({"run.json": {**RUN, "push_to_hub": True}}, machine=NOBODY, says="token of the Hub"),
        Bad(
            {"run.json": {**RUN, "report_to": ["wandb"]}},
            machine=NOBODY,
            says="report_to wandb needs a login",
        ),
        Good({"run.json": {**RUN, "push_to_hub": True}}, machine=SOMEBODY),
        Good({"run.json": {**RUN, "push_to_hub": True, "hub_token": "hf_x"}}, machine=NOBODY),
        Good({"run.json": {**RUN, "push_to_hub": True, "report_to": "wandb"}}, machine=ITSELF),
        Good(
            {"run.json": {**RUN, "report_to": "wandb"}},
            machine=Surroundings(variables={"WANDB_MODE": "offline"}),
        ),
        Good({"run.json": {**RUN, "report_to": "none"}}, machine=NOBODY),
        Good({"run.json": {**RUN, "push_to_hub": True}}, skipped="no answers of probes"),
    ),
)
