"""Older RLOO counts completions as rows.

Without `total_episodes` the trainer sets the number of episodes to the number of rows times
`num_train_epochs`. But an episode is a completion, and each prompt has `rloo_k` of them: an epoch
ends after one of `rloo_k` prompts, and the log shows `epoch: 1.0`.

Remedy: multiply `num_train_epochs` by `rloo_k`, or set `total_episodes` to rows x epochs x
`rloo_k`.

Versions: RLOO with `rloo_k`, trl before 0.22.

Seen: trl#2515. Reproduced with trl 0.12.2: of four prompts one is seen with `rloo_k: 4`, all four
with `num_train_epochs: 4`. The lines are in the sources of 0.14.0, 0.15.2 and 0.19.1.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.unknown import known_to_trl
from trl_doctor.facts.rule import Bad, Good, Rule

GROUP, ALL, EPOCHS = "rloo_k", "total_episodes", "num_train_epochs"


def check(facts: Facts) -> Iterator[Finding]:
    run, (trainer, accepted) = facts.run, known_to_trl(facts)
    if trainer.name != "rloo" or GROUP not in accepted.fields:
        raise NotConcerned(f"only RLOO with {GROUP} counts completions as rows")
    usual = accepted.fields[GROUP].default
    number = run.number(GROUP, float(usual) if usual and usual.isdigit() else 2)
    group = int(number or 2)
    if run.arguments.get(ALL) is not None or group < 2:
        return
    epochs = run.number(EPOCHS)
    if epochs is None:
        raise NotConcerned(f"the run does not set {EPOCHS}")
    if epochs % group:
        yield Finding(
            run.place(EPOCHS),
            f"{EPOCHS} is {epochs:g} and {GROUP} is {group}: the run ends after {epochs:g}/{group} "
            "of the prompts, because each of their completions counts as a row",
        )


def _files(**arguments: Json) -> dict[str, Json]:
    return {"run.json": {"trainer": "rloo", "model_name_or_path": "m", **arguments}}


OLD = {"trl": "0.15.2"}
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(_files(num_train_epochs=1, rloo_k=4), versions=OLD, says="after 1/4 of the prompts"),
        Bad(_files(num_train_epochs=1), versions=OLD, says="and rloo_k is 2"),
        Good(_files(num_train_epochs=4, rloo_k=4), versions=OLD),
        Good(_files(num_train_epochs=1, rloo_k=4, total_episodes=64), versions=OLD),
        Good(_files(rloo_k=4), versions=OLD),
        Good(_files(num_train_epochs=1), versions={"trl": "1.16.0"}),
    ),
)
