"""DPO cuts the images away without an error.

Before trl 0.29 DPO keeps the end of a prompt (`max_prompt_length`, 512 by default) and, with
`truncation_mode: keep_end`, its default, the end of a row (`max_length`, 1024). The tokens of an
image are at the beginning. Most models then raise an error; Idefics 3 and SmolVLM go on with fewer
image tokens or none: the image is computed but never used.

Remedy: set `max_prompt_length: null` and `max_length: null`, or limits that hold the longest row
with its images.

Versions: DPO up to trl 0.28.0. The number of tokens is that of one image of 4:3, by the settings of
the processor.

Seen: reproduced with trl 0.24.0 and transformers 4.57.6 on Idefics 3: with `max_prompt_length=6`,
and with `max_length=12`, the model is called with `pixel_values` and no image token, and the run
ends; without limits it has all. LLaVA and Gemma 3 raise "Image features and image tokens do not
match", and SmolVLM joins images and texts as Idefics 3 does.
"""

import math
from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding, Fix, Json, Put, pointer
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.documents import Folder, Unreadable, read
from trl_doctor.facts.model.files import model_config
from trl_doctor.facts.rows.images import columns_of_images, seeing
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer

LAST = Version("0.28.0")
SILENT = ("idefics3", "smolvlm")
PROMPT, LENGTH, MODE = "max_prompt_length", "max_length", "truncation_mode"
USUAL = {PROMPT: 512, LENGTH: 1024}
FILES = ("processor_config.json", "preprocessor_config.json")


def check(facts: Facts) -> Iterator[Finding]:
    run = facts.run
    if known_trainer(facts) != "dpo" or facts.environment.known_version("trl") > LAST:
        raise NotConcerned("only DPO up to trl 0.28.0 is affected")
    folder = seeing(facts)
    if facts.at(folder)[model_config].get("model_type") not in SILENT:
        raise NotConcerned("this model raises an error where tokens of an image are missing")
    if not columns_of_images(facts):
        return
    count = _tokens(folder)
    keys = [PROMPT] if run.arguments.get(MODE, "keep_end") == "keep_start" else [PROMPT, LENGTH]
    for key in keys:
        limit = run.arguments.get(key, USUAL[key])
        if isinstance(limit, int) and limit < count:
            place = run.place(key)
            yield Finding(
                place,
                f"{key} is {limit}, and one image takes about {count} tokens: DPOTrainer cuts them "
                "away, and this model goes on without the image",
                fix=Fix(f"set {key} to null", (Put(place.file, pointer(key), None),), safe=False),
            )


def _tokens(folder: Folder) -> int:
    """The tokens of an image of 4:3 by the processor's settings. Raises `Unavailable`."""
    settings: dict[str, Json] = {}
    for name in FILES:
        if folder.has(name):
            try:
                document = read(folder.file(name))
            except Unreadable as reason:
                raise Unavailable(str(reason)) from reason
            inner = document.get("image_processor")
            for key in ("image_seq_len", "do_image_splitting", "size", "max_image_size"):
                value = inner.get(key) if isinstance(inner, dict) and key in inner else None
                value = document.get(key) if value is None else value
                if value is not None:
                    settings[key] = value
    each = settings.get("image_seq_len")
    if not isinstance(each, int):
        raise Unavailable("how many tokens an image takes is not in the processor's settings")
    edges = [_edge(settings.get(key)) for key in ("size", "max_image_size")]
    if settings.get("do_image_splitting") is False or not all(edges):
        return each
    columns = math.ceil(edges[0] / edges[1])
    rows = math.ceil(columns * 3 / 4)
    return each * (columns * rows + 1) if columns > 1 else each


def _edge(value: Json) -> int:
    edge = value.get("longest_edge") if isinstance(value, dict) else None
    return edge if isinstance(edge, int) and edge > 0 else 0


RUN: dict[str, Json] = {
    "trainer": "dpo",
    "model_name_or_path": "m",
    "dataset_name": "rows.jsonl",
    "remove_unused_columns": False,
}
TILES: Json = {
    "image_seq_len": 64,
    "image_processor": {
        "do_image_splitting": True,
        "size": {"longest_edge": 2048},
        "max_image_size": {"longest_edge": 512},
    },
}
SEES: dict[str, Json] = {
    "run.json": RUN,
    "m/config.json": {"model_type": "smolvlm", "vision_config": {}},
    "m/processor_config.json": TILES,
    "rows.jsonl": '{"images": ["a.png"], "prompt": [], "chosen": [], "rejected": []}\n',
}
TRL = {"trl": "0.24.0"}
WHOLE: dict[str, Json] = {**RUN, PROMPT: None, LENGTH: None}
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            SEES,
            versions=TRL,
            says="max_prompt_length is 512, and one image takes about 832 tokens",
            fixed={**SEES, "run.json": {**RUN, PROMPT: None}},
        ),
        Bad(
            {**SEES, "run.json": {**RUN, PROMPT: None, LENGTH: 600}},
            versions=TRL,
            says="max_length is 600",
            fixed={**SEES, "run.json": WHOLE},
        ),
        Good({**SEES, "run.json": WHOLE}, versions=TRL),
        Good(
            {**SEES, "run.json": {**RUN, PROMPT: None, LENGTH: 64, MODE: "keep_start"}},
            versions=TRL,
        ),
        Good({**SEES, "m/config.json": {"model_type": "llava", "vision_config": {}}}, versions=TRL),
        Good(SEES, versions={"trl": "1.16.0"}),
    ),
)
