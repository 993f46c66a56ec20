"""The script takes away the column of images.

TRL looks for images in the columns `images` and `image`. The script renames or removes these
columns, so the model gets only the texts. There is no warning, and the loss falls anyway.

Remedy: name the column `images`, a list of images for each row.

Versions: every trl whose trainers read rows with images.

Seen: trl#4874. Reproduced with SFT of trl 1.16.0 on Gemma 3: no batch has `pixel_values` if the
column is `imgs`, and each batch has them if it is `images`. 0.24.0 trains without them, too.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rows.images import COLUMNS, seeing
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer
from trl_doctor.facts.script.columns import columns_left
from trl_doctor.facts.script.passed import is_tokenizer, loading_class, passed

from ..._recorded.scripts import script

READS = ("sft", "dpo", "grpo", "rloo")


def check(facts: Facts) -> Iterator[Finding]:
    values = passed(facts)
    seeing(facts)
    if known_trainer(facts) not in READS or values.has("data_collator"):
        raise NotConcerned("the trainer's own collator reads no images")
    loaded = loading_class(values.values.get("model"))
    if loaded.endswith("CausalLM") or is_tokenizer(values.values.get("processing_class")):
        raise NotConcerned("only the model's text part is trained")
    columns = columns_left(values.given("train_dataset"))
    changes = {name: columns.gone[name] for name in COLUMNS if name in columns.gone}
    if not changes or columns.there & set(COLUMNS):
        return
    name, change = next(iter(changes.items()))
    action = f"renames {name} to {change.name}" if change.name else f"removes the column {name}"
    yield Finding(
        values.places["train_dataset"],
        f"the script {action}: TRL looks for images in {' and '.join(COLUMNS)}, and trains on the "
        "texts alone",
    )


FILES: dict[str, Json] = {"m/config.json": {"model_type": "llava", "vision_config": {}}}
TRL = {"trl": "1.16.0"}
ADDS = "rows.map(lambda row: {{'{}': row['images']}}, remove_columns=['images'])"


def _files(rows: str, given: str = "model='m'") -> dict[str, Json]:
    before = f"from transformers import AutoTokenizer\nrows = {rows}\n"
    return script("SFT", given, before=before) | FILES


RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            _files("rows.rename_column('images', 'imgs')"),
            "train.py",
            versions=TRL,
            says="the script renames images to imgs: TRL looks for images in images and image",
        ),
        Bad(
            _files(ADDS.format("imgs")),
            "train.py",
            versions=TRL,
            says="the script removes the column images",
        ),
        Good(_files("rows.rename_column('image', 'images')"), "train.py", versions=TRL),
        Good(
            _files("rows.map(lambda r: {'images': [r['image']]}, remove_columns=['image'])"),
            "train.py",
            versions=TRL,
        ),
        Good(_files("rows.shuffle()"), "train.py", versions=TRL),
        Good(
            _files(
                "rows.remove_columns(['images'])",
                "model='m', processing_class=AutoTokenizer.from_pretrained('m')",
            ),
            "train.py",
            versions=TRL,
        ),
        Good(
            _files("rows.remove_columns(['images'])", "model='m', data_collator=len"),
            "train.py",
            versions=TRL,
        ),
    ),
)
