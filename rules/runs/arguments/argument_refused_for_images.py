"""SFT refuses an argument for a model or rows with images.

`assistant_only_loss`, `packing` and `padding_free` are refused when the trainer is created, after
the model was loaded: "Assistant-only loss is not yet supported for vision-language models". Most
releases refuse them for each processor, also if the rows are texts alone. A script that gives the
trainer no `processing_class` gets the model's processor, whatever tokenizer it has loaded itself.

Remedy: if the rows have no images, give the trainer the tokenizer alone:
`processing_class=tokenizer`. Else switch the argument off.

Versions: trl 0.22.0 to 1.6.0 refuse the three for a processor; 1.12.0 and newer refuse `packing`
and `padding_free` for rows with images. The releases between were not read.

Seen: the forum's thread 176210. Reproduced with SFT of trl 0.24.0 on Gemma 3 and texts: all three
fail so, and each trains with `processing_class=tokenizer`; with 1.16.0 on LLaVA and images: the two
fail, and it trains without them.
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.processing import processing_given
from trl_doctor.facts.rows.images import (
    columns_of_images,
    refuses_processor,
    seeing,
)
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer, trl_of
from trl_doctor.facts.script.passed import is_tokenizer

from ..._recorded.scripts import script

ASSISTANT = "assistant_only_loss"
KEYS = (ASSISTANT, "packing", "padding_free")
OF_ROWS = Version("1.12.0")
"""The first trl of which it is known that the rows decide, and not the processor."""


def check(facts: Facts) -> Iterator[Finding]:
    key = next((key for key in KEYS if facts.run.flag(key)), None)
    if known_trainer(facts) != "sft" or key is None:
        raise NotConcerned(f"only SFT with {', '.join(KEYS[:2])} or {KEYS[2]} is affected")
    seeing(facts)
    trl = trl_of(facts)
    of_rows = trl is not None and trl >= OF_ROWS
    if refuses_processor(trl):
        given = processing_given(facts)
        if is_tokenizer(given):
            return
        has = "the trainer gets a processor" if given else "the trainer loads the model's processor"
        tokenizer = "if the rows have no images, give the trainer the tokenizer alone "
        yield Finding(
            facts.run.place(key),
            f"{has}, and SFTTrainer of trl {trl} refuses {key} with it",
            remedy=f"{tokenizer}(processing_class=tokenizer); else switch {key} off",
        )
    elif of_rows and key != ASSISTANT and (columns := columns_of_images(facts)):
        yield Finding(
            facts.run.place(key),
            f"the rows have images ({columns[0]}), and SFTTrainer of trl {trl} refuses {key}",
            remedy=f"switch {key} off",
        )


def _script(given: str, key: str = ASSISTANT) -> dict[str, Json]:
    before = (
        "from transformers import AutoModelForImageTextToText, AutoProcessor, AutoTokenizer\n"
        "model = AutoModelForImageTextToText.from_pretrained('m')\n"
        "tokenizer = AutoTokenizer.from_pretrained('m')\n"
        "processor = AutoProcessor.from_pretrained('m')\n"
    )
    return script("SFT", f"model=model{given}", f"{key}=True", before) | MODEL


MODEL: dict[str, Json] = {"m/config.json": {"model_type": "llava", "vision_config": {}}}
RUN: dict[str, Json] = {
    "run.json": {
        "trainer": "sft",
        "model_name_or_path": "m",
        "dataset_name": "rows.jsonl",
        "packing": True,
    },
    **MODEL,
}
IMAGES: dict[str, Json] = {"rows.jsonl": '{"images": ["a.png"], "messages": []}\n'}
TEXTS: dict[str, Json] = {"rows.jsonl": '{"messages": []}\n'}
FOUR, NOW = {"trl": "0.24.0"}, {"trl": "1.16.0"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="supported for vision",
    examples=(
        Bad(
            _script(""),
            "train.py",
            versions=FOUR,
            says="the trainer loads the model's processor, and SFTTrainer of trl 0.24.0 refuses",
        ),
        Bad(
            _script(", processing_class=processor", "padding_free"),
            "train.py",
            versions=FOUR,
            says="the trainer gets a processor, and SFTTrainer of trl 0.24.0 refuses padding_free",
        ),
        Bad(RUN | TEXTS, versions=FOUR, says="refuses packing with it"),
        Bad(RUN | IMAGES, versions=NOW, says="the rows have images (images), and SFTTrainer"),
        Good(_script(", processing_class=tokenizer"), "train.py", versions=FOUR),
        Good(RUN | TEXTS, versions=NOW),
        Good(RUN | {"m/config.json": {"model_type": "llama"}}, versions=FOUR),
        Good(RUN | TEXTS, versions={"trl": "0.19.1"}),
    ),
)
