"""A model that sees images lacks its processor's settings.

TRL loads a processor for such a model, whether or not the rows have images, and a processor reads
how images are prepared from preprocessor_config.json or processor_config.json. Without both the job
fails before its first step. A merge or a conversion of the weights often forgets these files.

Remedy: `AutoProcessor.from_pretrained(ORIGINAL).save_pretrained(FOLDER)` with the model that this
one was made from.

Versions: trl 0.24.0 and newer; older releases are not affected, because their scripts pass a
tokenizer.

Seen: reproduced with SFT of trl 1.16.0 on a LLaVA without these files, with images and with texts
alone: "Can't load image processor", and with GRPO on one whose processor_config.json lacks
`image_processor` (Video-R1#100). With the files all train.
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding, Json, Place
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.model.hub_copies import may_be_incomplete
from trl_doctor.facts.rows.images import seeing
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer, trl_of

FILES = ("preprocessor_config.json", "processor_config.json")
IMAGES = "image_processor"
"""Where processor_config.json says what preprocessor_config.json else says."""

SINCE = Version("0.24.0")
TRAINERS = ("sft", "dpo", "kto", "grpo", "rloo")


def check(facts: Facts) -> Iterator[Finding]:
    policy, trl, values = seeing(facts), trl_of(facts), facts.run.script.passed
    if known_trainer(facts) not in TRAINERS or (trl is not None and trl < SINCE):
        raise NotConcerned("this trainer loads no processor")
    if values is not None and values.has("processing_class"):
        raise NotConcerned("the script passes a processing_class of its own")
    if may_be_incomplete(policy) or policy.has(FILES[0]):
        return
    whole = policy.get(FILES[1])
    if whole is not None and IMAGES in whole.mapping():
        return
    lacks = f"{FILES[1]} without {IMAGES}" if policy.has(FILES[1]) else f"no {FILES[1]}"
    yield Finding(
        Place(policy.file(FILES[1]) if policy.has(FILES[1]) else policy.path),
        f"{policy.label} takes images but has no {FILES[0]} and {lacks}: "
        "TRL cannot load its processor",
    )


RUN: dict[str, Json] = {"trainer": "sft", "model_name_or_path": "m"}
SEES: dict[str, Json] = {
    "run.json": RUN,
    "m/config.json": {"model_type": "llava", "vision_config": {}},
}
TRL = {"trl": "1.16.0"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="Can't load (image processor|feature extractor|processor)|processor_config",
    examples=(
        Bad(SEES, versions=TRL, says="m takes images but has no preprocessor_config.json and no"),
        Bad(
            SEES | {"m/processor_config.json": {}},
            versions=TRL,
            says="processor_config.json without image_processor",
        ),
        Good(SEES | {"m/processor_config.json": {IMAGES: {}}}, versions=TRL),
        Good(SEES | {"m/preprocessor_config.json": {}}, versions=TRL),
        Good(SEES, versions={"trl": "0.15.2"}),
        Good({**SEES, "m/config.json": {"model_type": "llama"}}, versions=TRL),
    ),
)
