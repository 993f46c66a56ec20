"""Rows with images are given to a tokenizer.

The rows have a column of images, and `processing_class` is a tokenizer, which cannot read them. TRL
refuses the run: "The dataset appears to be vision-related". Older releases train on the texts alone
and drop the images.

Remedy: pass no `processing_class`, or `AutoProcessor.from_pretrained(…)`.

Versions: refused by SFT, DPO and KTO of trl 1.16.0; others were not tested.

Seen: huggingface-gemma-recipes#27. Reproduced with SFT of trl 1.16.0 on LLaVA and Gemma 3; with the
processor both train.
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.images import columns_of_images, seeing
from trl_doctor.facts.passed import is_tokenizer, passed
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.special_tokens import known_trainer, trl_of

from ._recorded.scripts import script

REFUSED = Version("1.16.0")


def check(facts: Facts) -> Iterator[Finding]:
    values, trl = passed(facts), trl_of(facts)
    seeing(facts)
    if known_trainer(facts) not in ("sft", "dpo", "kto"):
        raise NotConcerned("this trainer was not tested")
    if not is_tokenizer(values.values.get("processing_class")):
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
        Good(_given("processor"), "train.py", versions=TRL),
        Good(_given("tokenizer") | TEXTS, "train.py", versions=TRL),
    ),
)
