"""PPO cannot split its batch into mini-batches.

A process generates per_device_train_batch_size x gradient_accumulation_steps responses and splits
them into num_mini_batches equal parts. PPOTrainer refuses other sizes when it is created.

Remedy: set num_mini_batches to a number that divides the product.

Versions: trl 0.17.0 to 1.12.0. Before, num_mini_batches was a factor of the batch, which any number
divides.

Seen: reproduced with trl 0.24.0 and 1.12.0: "`batch_size` must be a multiple of `num_mini_batches`,
inexact division: 2 / 3". trl 0.15.2 takes the same sizes.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.facts import Facts
from trl_doctor.facts.model.ppo import PARTS, SIZES, SPLITS, process_batch, release
from trl_doctor.facts.rule import Bad, Good, Rule


def check(facts: Facts) -> Iterator[Finding]:
    trl, run = release(facts), facts.run
    batch, parts = process_batch(facts, trl), max(1, int(run.number(PARTS, 1.0) or 1))
    if trl >= SPLITS and batch % parts:
        yield Finding(
            run.place(PARTS),
            f"{PARTS} is {parts}, which does not divide the batch of a process: {batch} rows "
            f"({' x '.join(SIZES)})",
        )


PPO: dict[str, Json] = {"trainer": "ppo", "per_device_train_batch_size": 2, PARTS: 3}
TRL = {"trl": "1.12.0", "transformers": "5.15.0"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="must be a multiple of `num_mini_batches`",
    examples=(
        Bad({"run.json": PPO}, versions=TRL, says="num_mini_batches is 3, which does not divide"),
        Bad(
            {"run.json": {"trainer": "ppo", PARTS: 3}},
            versions=TRL,
            says="the batch of a process: 8 rows",
        ),
        Good({"run.json": {**PPO, "gradient_accumulation_steps": 3}}, versions=TRL),
        Good({"run.json": PPO}, versions={"trl": "0.15.2"}),
        Good({"run.json": {**PPO, "trainer": "grpo"}}, versions=TRL),
    ),
)
