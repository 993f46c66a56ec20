"""KTO compares the rows of a batch, but a batch has one row.

KTO estimates the KL term by pairing each prompt with the answer of another row of its batch. With
one row for each device it refuses to train: "Actual (not effective) batch size must be > 1".

Remedy: set `per_device_train_batch_size` to 2 or more, or use `loss_type: apo_zero_unpaired`, which
has no such term. Gradient accumulation does not help.

Versions: every trl with KTOTrainer.

Seen: hiyouga/LlamaFactory#3847. Reproduced with KTO with a batch of one with trl 0.12.2, 0.19.1 and
1.16.0: all three fail with this error when the trainer is created; with two rows they train.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Fix, Json, Put, pointer
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer

KEY = "per_device_train_batch_size"


def check(facts: Facts) -> Iterator[Finding]:
    run = facts.run
    if known_trainer(facts) != "kto" or run.arguments.get("loss_type") == "apo_zero_unpaired":
        raise NotConcerned("only KTO with a KL term is affected")
    if run.number(KEY, 8) == 1:
        edit = Put(run.place(KEY).file, pointer(KEY), 2)
        yield Finding(
            run.place(KEY),
            f"{KEY} is 1: KTO computes the KL term from the other rows of a batch",
            fix=Fix(f"set {KEY} to 2", (edit,), safe=False),
        )


RUN: dict[str, Json] = {"trainer": "kto", KEY: 1}
TRL = {"trl": "1.16.0"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            {"run.json": RUN},
            versions=TRL,
            says="per_device_train_batch_size is 1: KTO computes the KL term",
            fixed={"run.json": {**RUN, KEY: 2}},
        ),
        Good({"run.json": {**RUN, KEY: 2}}, versions=TRL),
        Good({"run.json": {**RUN, "loss_type": "apo_zero_unpaired"}}, versions=TRL),
        Good({"run.json": {**RUN, "trainer": "dpo"}}, versions=TRL),
    ),
)
