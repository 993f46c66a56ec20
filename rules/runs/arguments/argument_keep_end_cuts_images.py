"""truncation_mode is keep_end, and the rows have images.

The tokens of an image are in the prompt, and `keep_end` cuts at the beginning of a row. SFT and DPO
refuse it when the trainer is created, after the model was loaded: "truncation_mode='keep_end' is
not supported for vision".

Remedy: set `max_length: null`, so that nothing is cut; or `truncation_mode: keep_start` with a
`max_length` that holds the longest row with its images.

Versions: trl 1.0.0 and newer.

Seen: reproduced with DPO and SFT of trl 1.16.0 on Gemma 3: both fail with this error, and train
with `max_length: null`. The lines are in the sources of 1.0.0, 1.6.0, 1.12.0, 1.13.0, 1.14.0 and
1.15.0, and not in 0.29.1.
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding, Fix, Json, Put, pointer
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rows.images import columns_of_images, seeing
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer

KEY, LENGTH, BAD = "truncation_mode", "max_length", "keep_end"
FIRST, USUAL = Version("1.0.0"), 1024


def check(facts: Facts) -> Iterator[Finding]:
    run = facts.run
    if known_trainer(facts) not in ("sft", "dpo") or run.arguments.get(KEY) != BAD:
        raise NotConcerned(f"only SFT and DPO with {KEY}: {BAD} are affected")
    if facts.environment.known_version("trl") < FIRST:
        raise NotConcerned("this trl does not refuse it")
    seeing(facts)
    columns = columns_of_images(facts)
    if columns and run.arguments.get(LENGTH, USUAL) is not None:
        place = run.place(KEY)
        yield Finding(
            place,
            f"the rows have images ({columns[0]}), and {KEY} is {BAD}: the trainer refuses it",
            fix=Fix(
                f"set {LENGTH} to null",
                (Put(place.file, pointer(LENGTH), None),),
                safe=False,
            ),
        )


RUN: dict[str, Json] = {
    "trainer": "dpo",
    "model_name_or_path": "m",
    "dataset_name": "rows.jsonl",
    KEY: BAD,
}
SEES: dict[str, Json] = {
    "run.json": RUN,
    "m/config.json": {"model_type": "llava", "vision_config": {}},
    "rows.jsonl": '{"images": ["a.png"], "prompt": [], "chosen": [], "rejected": []}\n',
}
TRL = {"trl": "1.16.0"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="'keep_end' is not supported for vision",
    examples=(
        Bad(
            SEES,
            versions=TRL,
            says="the rows have images (images), and truncation_mode is keep_end",
            fixed={**SEES, "run.json": {**RUN, LENGTH: None}},
        ),
        Good({**SEES, "run.json": {**RUN, LENGTH: None}}, versions=TRL),
        Good({**SEES, "run.json": {**RUN, KEY: "keep_start"}}, versions=TRL),
        Good({**SEES, "rows.jsonl": '{"prompt": "a"}\n'}, versions=TRL),
        Good({**SEES, "m/config.json": {"model_type": "llama"}}, versions=TRL),
        Good(SEES, versions={"trl": "0.29.1"}),
    ),
)
