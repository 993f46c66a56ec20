"""packing is on, and max_length is null.

Packing fills rows of `max_length` tokens, so SFTTrainer refuses it without a length while it
prepares the rows: "When packing is enabled, `max_length` can't be `None`". The model has been
loaded by then.

Remedy: set `max_length` to the length that a packed row should have, or leave it out: its default
is 1024.

Versions: trl 0.16.0 and newer.

Seen: reproduced with trl 0.19.1, 0.24.0 and 1.16.0; with a length all three train. The others by
their source.
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding, Fix, Json, Put, pointer
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer

KEY, LENGTH, OLDER, PREPARED = "packing", "max_length", "max_seq_length", "skip_prepare_dataset"
FIRST, USUAL = Version("0.16.0"), 1024


def check(facts: Facts) -> Iterator[Finding]:
    run = facts.run
    if known_trainer(facts) != "sft" or KEY not in run.arguments:
        raise NotConcerned("only SFT with packing is affected")
    if facts.environment.known_version("trl") < FIRST:
        raise NotConcerned("this trl does not refuse packing without max_length")
    options = run.arguments.get("dataset_kwargs")
    if isinstance(options, dict) and options.get(PREPARED):
        return
    without = run.arguments.get(LENGTH, USUAL) is None and run.arguments.get(OLDER) is None
    if without and run.flag(KEY):
        place = run.place(LENGTH)
        edit = Put(place.file, pointer(LENGTH), USUAL)
        yield Finding(
            place,
            f"{KEY} needs a {LENGTH}, but it is null: SFTTrainer refuses the rows",
            fix=Fix(f"set {LENGTH} to {USUAL}, TRL's default", (edit,), safe=False),
        )


RUN: dict[str, Json] = {"trainer": "sft", KEY: True, LENGTH: None}
TRL = {"trl": "1.16.0"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="When packing is enabled",
    examples=(
        Bad(
            {"run.json": RUN},
            versions=TRL,
            says="packing needs a max_length, but it is null",
            fixed={"run.json": {**RUN, LENGTH: USUAL}},
        ),
        Good({"run.json": {**RUN, LENGTH: 512}}, versions=TRL),
        Good({"run.json": {**RUN, KEY: False}}, versions=TRL),
        Good({"run.json": {"trainer": "sft", KEY: True}}, versions=TRL),
        Good({"run.json": {**RUN, "dataset_kwargs": {PREPARED: True}}}, versions=TRL),
        Good({"run.json": RUN}, versions={"trl": "0.15.2"}),
    ),
)
