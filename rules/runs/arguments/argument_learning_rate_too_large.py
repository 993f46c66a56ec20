"""The learning rate is far too large.

Adam moves each weight by about the learning rate in each step. With a rate of 1 or more the weights
of a language model are noise after a few steps, and the run goes on to its end. Usually a minus
sign is missing: 1e5 in place of 1e-5.

Remedy: write a rate between 1e-7 and 1e-3.

Versions: every release, with the optimizers of the Adam family, which are the default.

Seen: `trl sft` of 1.16.0 with a small model: with 1.0 the loss rises from 6.2, which is chance, to
31 in three steps; with 1.0e+5 the gradient is nan in the second. Both runs end with success.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule

KEY, LIMIT = "learning_rate", 1.0
ADAM = ("adamw", "paged_adamw", "adam_")
"""How the names of the optimizers begin that move each weight by the rate."""


def check(facts: Facts) -> Iterator[Finding]:
    rate, optimizer = facts.run.number(KEY), facts.run.arguments.get("optim", "adamw")
    if rate is None:
        raise NotConcerned("the run sets no learning rate")
    if not isinstance(optimizer, str) or not optimizer.lower().startswith(ADAM):
        raise NotConcerned("the optimizer is not Adam or one of its relatives")
    if rate >= LIMIT:
        yield Finding(
            facts.run.place(KEY),
            f"{KEY} is {rate:g}: each step moves every weight by about as much",
        )


RUN: dict[str, Json] = {"trainer": "sft", "model_name_or_path": "m"}
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad({"run.yaml": "trainer: sft\nlearning_rate: 1e5\n"}, "run.yaml", says="is 100000"),
        Bad({"run.json": {**RUN, KEY: 1.0}}, says="learning_rate is 1: each step"),
        Good({"run.json": {**RUN, KEY: 1e-5}}),
        Good({"run.json": {**RUN, KEY: 1.0, "optim": "sgd"}}),
        Good({"run.json": RUN}),
    ),
)
