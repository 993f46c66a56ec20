"""Rows with images are given to a tokenizer.

The rows have a column of images, and `processing_class` is a tokenizer, which cannot read them. TRL
refuses the run: "The dataset appears to be vision-related". Older releases train on the texts alone
and drop the images. DPO of trl 0.24.0 and before needs a processor for each model that sees images,
even if the rows are texts: "has no attribute tokenizer".

Remedy: pass no `processing_class`, or `AutoProcessor.from_pretrained(…)`.

Versions: refused by SFT, DPO and KTO of trl 1.16.0; others were not tested. DPO with texts: trl
0.9.4 to 0.24.0.

Seen: huggingface-gemma-recipes#27, Qwen3-VL#858. Reproduced with SFT of trl 1.16.0 on LLaVA and
Gemma 3, with the processor both train; with DPO of trl 0.15.2 on texts and LLaVA.
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rows.images import columns_of_images, seeing
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer, trl_of
from trl_doctor.facts.script.passed import is_tokenizer, loading_class, passed

from .._recorded.scripts import script

REFUSED, ALWAYS = Version("1.16.0"), Version("0.24.0")
SEEING = ("ImageTextToText", "Vision2Seq", "ForConditionalGeneration")
"""Ends of the names of classes that load a model with its part for images."""


def check(facts: Facts) -> Iterator[Finding]:
    values, trl = passed(facts), trl_of(facts)
    seeing(facts)
    if known_trainer(facts) not in ("sft", "dpo", "kto"):
        raise NotConcerned("this trainer was not tested")
    if not is_tokenizer(values.values.get("processing_class")):
        return
    loaded = loading_class(values.values.get("model"))
    if known_trainer(facts) == "dpo" and trl and trl <= ALWAYS and loaded.endswith(SEEING):
        yield Finding(
            values.places["processing_class"],
            f"the model is loaded by {loaded}, and processing_class is a tokenizer: DPOTrainer of "
            f"trl {trl} needs a processor",
            remedy="pass a processor, or train only its text model (AutoModelForCausalLM)",
        )
        return
    columns = columns_of_images(facts)
    if columns:
        yield Finding(
            values.places["processing_class"],
            f"the rows have images ({columns[0]}), and processing_class is a tokenizer: "
            "it needs a processor",
            severity=None if trl and trl >= REFUSED else "warning",
        )


LOADED = (
    "from transformers import AutoProcessor, AutoTokenizer\n"
    "tokenizer = AutoTokenizer.from_pretrained('m')\n"
    "processor = AutoProcessor.from_pretrained('m')\n"
    "rows = load_dataset('json', data_files='rows.jsonl', split='train')\n"
)
FILES: dict[str, Json] = {
    "m/config.json": {"model_type": "llava", "vision_config": {}},
    "rows.jsonl": '{"images": ["a.png"], "messages": []}\n',
}
TRL = {"trl": "1.16.0"}


def _given(name: str) -> dict[str, Json]:
    return script("SFT", f"model='m', processing_class={name}", before=LOADED) | FILES


def _dpo(name: str) -> dict[str, Json]:
    model = f"from transformers import {name}\nmodel = {name}.from_pretrained('m')\n"
    arguments = "model=model, processing_class=tokenizer"
    return script("DPO", arguments, before=LOADED + model) | FILES | TEXTS


TEXTS: dict[str, Json] = {"rows.jsonl": '{"messages": []}\n'}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="vision-related",
    examples=(
        Bad(_given("tokenizer"), "train.py", versions=TRL, says="the rows have images (images)"),
        Bad(
            _given("processor.tokenizer"),
            "train.py",
            versions=TRL,
            says="and processing_class is a tokenizer",
        ),
        Bad(
            _dpo("AutoModelForImageTextToText"),
            "train.py",
            versions={"trl": "0.15.2"},
            says="DPOTrainer of trl 0.15.2 needs a processor",
        ),
        Good(_dpo("AutoModelForCausalLM"), "train.py", versions={"trl": "0.15.2"}),
        Good(_given("processor"), "train.py", versions=TRL),
        Good(_given("tokenizer") | TEXTS, "train.py", versions=TRL),
    ),
)
