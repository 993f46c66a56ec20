"""A count is a fraction, or a float such as 8.0.

A batch size, a number of steps or of generations counts something: the trainer gives it to
functions of Python and torch that take whole numbers only, and refuse 8.0 as they refuse 2.5. Such
a value is often the result of a division: `total // size` gives a whole number, `total / size` does
not. The run fails when it starts, after the model was loaded.

Remedy: write a whole number; in a script write `//` in place of `/`, or `int(…)`.

Versions: every release; max_length in trl 1.12.0 and later, dataset_num_proc in 1.16.0.

Seen: reproduced with SFT and GRPO of trl 0.24.0 and 1.16.0, each argument alone: "'float' object
cannot be interpreted as an integer", "batch_size should be a positive integer value, but got
batch_size=2.0", "an integer is required". `max_length=64.0` of SFT and DPO of 1.12.0 and 1.16.0:
"slice indices must be integers"; 0.24.0 takes it, as it takes `dataset_num_proc=2.0`.
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding, Fix, Place, Put
from trl_doctor.core.unavailable import Reasons
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.unknown import known_to_trl
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer, trl_of

from ..._recorded.scripts import script

ONLINE = ("grpo", "rloo")
COUNTS = ("per_device_train_batch_size", "per_device_eval_batch_size", "max_steps", "seed",
          "gradient_accumulation_steps", "num_generations", "steps_per_generation",
          "generation_batch_size", "num_iterations", "top_k", "max_length",
          "dataloader_num_workers", "dataset_num_proc")  # fmt: skip
"""Arguments of which a float ends the run."""

SLICES = Version("1.12.0")
"""A release that cuts rows with `max_length` as it is; 0.24.0 does not."""

PROCESSES = Version("1.16.0")
"""A release that refuses a float here; 0.24.0 does not."""


def check(facts: Facts) -> Iterator[Finding]:
    _, accepted = known_to_trl(facts)
    reasons = Reasons()
    for key in COUNTS:
        with reasons.collected():
            value = facts.run.arguments.get(key) if key in accepted.fields else None
            if isinstance(value, float) and value > 0 and _counts(facts, key):
                yield _finding(facts.run.place(key), key, value)
    reasons.raise_any()


def _finding(place: Place, key: str, value: float) -> Finding:
    if not value.is_integer():  # nor is infinity
        return Finding(place, f"{key} is {value:g}: only a whole number is taken")
    number = int(value)
    return Finding(
        place,
        f"{key} is {value:g} as a float: only a whole number is taken",
        fix=Fix(f"write {number}", (Put(place.file, place.pointer, number),)),
        remedy=f"write {number}, or // in place of /",
    )


def _counts(facts: Facts, key: str) -> bool:
    """Whether this run uses the argument as a count."""
    if key == "per_device_eval_batch_size":
        return facts.run.arguments.get("eval_strategy") in ("steps", "epoch")
    if key == "max_length":
        trl = trl_of(facts)
        return known_trainer(facts) in ("sft", "dpo") and trl is not None and trl >= SLICES
    if key == "dataset_num_proc":
        trl = trl_of(facts)
        return trl is not None and trl >= PROCESSES
    return key != "top_k" or known_trainer(facts) in ONLINE


TRL = {"trl": "1.16.0", "transformers": "5.23.0"}
OLD = {"trl": "0.24.0", "transformers": "4.57.6"}
RUN = {"trainer": "sft", "model_name_or_path": "m"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="cannot be interpreted as an integer|positive integer value|an integer is required"
    "|slice indices must be",
    examples=(
        Bad(
            {"run.json": {**RUN, "max_steps": 100.0}},
            versions=TRL,
            says="max_steps is 100 as a float: only a whole number is taken",
            fixed={"run.json": {**RUN, "max_steps": 100}},
        ),
        Bad(
            script("SFT", "model='m'", "gradient_accumulation_steps=64 / 24"),
            "train.py",
            versions=TRL,
            says="gradient_accumulation_steps is 2.66667: only a whole number is taken",
        ),
        Bad({"run.json": {**RUN, "max_length": 0.5}}, versions=TRL, says="max_length is 0.5"),
        Bad({"run.json": '{"trainer": "sft", "seed": Infinity}'}, versions=TRL, says="seed is inf"),
        Good({"run.json": {**RUN, "max_length": 64.0}}, versions=OLD),
        Good(
            {
                "run.json": {
                    **RUN,
                    "max_steps": -1.0,
                    "num_train_epochs": 1.5,
                    "per_device_eval_batch_size": 2.0,
                }
            },
            versions=TRL,
        ),
        Good(
            script("SFT", "model='m'", "gradient_accumulation_steps=64 // 24"),
            "train.py",
            versions=TRL,
        ),
    ),
)
