"""DPO drops the images as unused columns.

This trl's DPOTrainer turns the images of the rows into `pixel_values`, but does not list that
column among those that it uses: with `remove_unused_columns`, which is true by default, the column
is removed before the batches are made. The model gets the image tokens in the text, and no image.
There is no warning, and the loss falls anyway.

Remedy: set `remove_unused_columns: false`.

Versions: trl up to 0.28.0; 0.29.1 and newer make `pixel_values` in the collator.

Seen: reproduced with trl 0.24.0 and transformers 4.57.6 on LLaVA, Gemma 3 and Idefics 3: no call of
the model has `pixel_values`; with `remove_unused_columns=False` each has them. The list without
the column is in the sources of 0.12.2, 0.14.0, 0.15.2, 0.19.1, 0.25.1, 0.26.2, 0.27.2 and 0.28.0.
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding, Fix, Json, Put, pointer
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rows.images import columns_of_images, seeing
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer
from trl_doctor.facts.script.passed import is_tokenizer, loading_class

KEY, LAST = "remove_unused_columns", Version("0.28.0")


def check(facts: Facts) -> Iterator[Finding]:
    run = facts.run
    if known_trainer(facts) != "dpo" or facts.environment.known_version("trl") > LAST:
        raise NotConcerned("only DPO up to trl 0.28.0 is affected")
    seeing(facts)
    values = run.script.passed.values if run.script.passed else {}
    texts = loading_class(values.get("model")).endswith("CausalLM")
    if texts or is_tokenizer(values.get("processing_class")):
        raise NotConcerned("only the model's text part is trained")
    columns = columns_of_images(facts)
    if columns and (KEY not in run.arguments or run.flag(KEY)):
        place = run.place(KEY)
        yield Finding(
            place,
            f"{KEY} is true: this DPOTrainer drops the pixel values of {columns[0]}, and "
            "the model is trained without them",
            fix=Fix(
                f"set {KEY} to false", (Put(place.file, pointer(KEY), value=False),), safe=False
            ),
        )


RUN: dict[str, Json] = {
    "trainer": "dpo",
    "model_name_or_path": "m",
    "dataset_name": "rows.jsonl",
}
SEES: dict[str, Json] = {
    "run.json": RUN,
    "m/config.json": {"model_type": "llava", "vision_config": {}},
    "rows.jsonl": '{"images": ["a.png"], "prompt": [], "chosen": [], "rejected": []}\n',
}
TRL = {"trl": "0.24.0"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            SEES,
            versions=TRL,
            says="drops the pixel values of images",
            fixed={**SEES, "run.json": {**RUN, KEY: False}},
        ),
        Bad(
            {**SEES, "run.json": {**RUN, KEY: True}},
            versions=TRL,
            says="trained without them",
            fixed={**SEES, "run.json": {**RUN, KEY: False}},
        ),
        Good({**SEES, "run.json": {**RUN, KEY: False}}, versions=TRL),
        Good({**SEES, "rows.jsonl": '{"prompt": "a"}\n'}, versions=TRL),
        Good({**SEES, "m/config.json": {"model_type": "llama"}}, versions=TRL),
        Good(SEES, versions={"trl": "1.16.0"}),
    ),
)
