"""The beta of a preference loss is 0 or less.

DPO and KTO multiply the margin in their loss by beta. With a beta of 0 the loss is the same for any
answer (0.693 in each step), no weight gets a gradient, and the job ends with the model that it
started with. With a negative beta the rejected answers become the likelier ones. In GRPO a beta of
0 is fine: there it only weighs the distance to the reference.

Remedy: set beta to 0.1, TRL's own value, or leave it out.

Versions: every trl.

Seen: trl#1627. Reproduced with DPO and KTO of trl 1.16.0 and 0.24.0, with each loss: after three
steps no weight has changed; with beta 0.1 all have. With -0.1 and trl 1.16.0 the chosen answers
lose as much as they gain with 0.1; the log does not show it: its margins are multiplied by beta.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.unknown import no_other_program
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer

OTHERS = ("rpo_alpha", "loss_weights", "sft_weight")
"""Arguments that add a loss which does not have beta."""

WITH_BETA = ("sigmoid", "hinge", "kto", "bco_pair", "robust", "exo_pair", "sigmoid_norm")
"""Losses that beta multiplies."""


def check(facts: Facts) -> Iterator[Finding]:
    run = facts.run
    no_other_program(facts)
    if known_trainer(facts) not in ("dpo", "kto"):
        raise NotConcerned("only DPO and KTO learn by beta")
    losses = run.arguments.get("loss_type", "sigmoid")
    loss_types = losses if isinstance(losses, list) else [losses]
    if any(run.arguments.get(name) for name in OTHERS) or not set(loss_types) <= set(WITH_BETA):
        raise NotConcerned("the loss has a part without beta")
    beta = run.number("beta")
    if beta == 0:
        yield Finding(run.place("beta"), "beta is 0: the loss is the same for any answer")
    elif beta is not None and beta < 0:
        message = f"beta is {beta:g}: the run prefers the rejected answers"
        yield Finding(run.place("beta"), message)


def _files(**arguments: Json) -> dict[str, Json]:
    return {"run.json": {"trainer": "dpo", "model_name_or_path": "m", **arguments}}


RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(_files(beta=0.0), says="beta is 0: the loss is the same for any answer"),
        Bad(_files(beta=0, trainer="kto", loss_type="kto"), says="beta is 0"),
        Bad(_files(beta=-0.1), says="beta is -0.1: the run prefers the rejected answers"),
        Good(_files(beta=0.1)),
        Good(_files()),
        Good(_files(beta=0, rpo_alpha=1.0)),
        Good(_files(beta=0, loss_type=["sigmoid", "sft"])),
        Good(_files(beta=0, trainer="grpo")),
    ),
)
