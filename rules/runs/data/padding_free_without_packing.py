"""padding_free is on, packing is off, and max_length is set.

Without packing nothing shortens rows for `padding_free`, so SFTTrainer refuses the three together
after the model was loaded: "When `padding_free=True` without packing, `max_length` is not
enforced". `max_length` is 1024 if the run does not set it.

Remedy: set `packing: true`, or `max_length: null` with rows that are short enough; or remove
`padding_free`.

Versions: trl 1.0.0 and newer.

Seen: training_hub#93, unsloth#7951. Reproduced with trl 1.16.0; without `padding_free` it trains.
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding, Fix, Json, Put, pointer
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rows.images import columns_of_images
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer

KEY, LENGTH = "padding_free", "max_length"
FIRST = Version("1.0.0")


def check(facts: Facts) -> Iterator[Finding]:
    run = facts.run
    if known_trainer(facts) != "sft" or KEY not in run.arguments:
        raise NotConcerned("only SFT with padding_free is affected")
    if facts.environment.known_version("trl") < FIRST:
        raise NotConcerned("this trl does not refuse padding_free without packing")
    shortens = run.arguments.get(LENGTH, "") is not None
    if run.flag(KEY) and shortens and not run.flag("packing") and not facts.get(columns_of_images):
        length = run.arguments.get(LENGTH, "1024, the default")
        edit = Put(run.place(KEY).file, pointer(KEY), False)
        yield Finding(
            run.place(KEY),
            f"padding_free without packing, and {LENGTH} is {length}: SFTTrainer refuses them",
            fix=Fix("switch padding_free off", (edit,), safe=False),
        )


RUN: dict[str, Json] = {"trainer": "sft", KEY: True}
TRL = {"trl": "1.16.0"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            {"run.json": RUN},
            versions=TRL,
            says="padding_free without packing, and max_length is 1024, the default",
            fixed={"run.json": {**RUN, KEY: False}},
        ),
        Good({"run.json": {**RUN, "packing": True}}, versions=TRL),
        Good({"run.json": {**RUN, LENGTH: None}}, versions=TRL),
        Good({"run.json": RUN}, versions={"trl": "0.24.0"}),
        Good({"run.json": {"trainer": "sft"}}, versions=TRL),
    ),
)
