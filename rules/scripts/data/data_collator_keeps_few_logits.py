"""The collator asks the model for a part of the logits.

With `logits_to_keep` in the batch the model gives logits for the last positions only. SFTTrainer
computes the entropy and the accuracy from all of them, with the batch's own mask, and fails in its
first step: "The size of tensor a (7) must match the size of tensor b (56)".

Remedy: leave `logits_to_keep` out of the batch, and let the labels have the length of the input:
-100 takes a position out of the loss.

Versions: SFT of trl 0.22.2 and newer. 0.19.1 trains; the releases between were not tested.

Seen: trl#4066. Reproduced with SFT of trl 0.24.0 and 1.16.0; without the key both train.
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer, trl_of
from trl_doctor.facts.script.passed import keys_written, passed

from ..._recorded.scripts import script

KEYS, FIRST = ("logits_to_keep", "num_logits_to_keep"), Version("0.22.2")


def check(facts: Facts) -> Iterator[Finding]:
    values, trl = passed(facts), trl_of(facts)
    if known_trainer(facts) != "sft" or trl is None or trl < FIRST:
        raise NotConcerned(f"only SFT of trl {FIRST} and newer needs all logits")
    if "compute_loss" in values.methods or values.has("compute_loss_func"):
        raise NotConcerned("the script computes the loss itself")
    collator = values.given("data_collator")
    key = next((key for key in KEYS if key in keys_written(collator)), None)
    if key:
        yield Finding(
            values.places["data_collator"],
            f"the collator writes {key} into the batch: SFTTrainer of trl {trl} fails on logits "
            "that are shorter than the input",
        )


def _collator(key: str) -> dict[str, str]:
    before = f"def collate(rows):\n    return {{'input_ids': rows, '{key}': 4}}\n"
    return script("SFT", "model='m', data_collator=collate", before=before)


TRL = {"trl": "0.24.0"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(_collator(KEYS[0]), "train.py", versions=TRL, says="writes logits_to_keep into the"),
        Bad(_collator(KEYS[1]), "train.py", versions={"trl": "1.16.0"}, says="num_logits_to_keep"),
        Good(_collator("labels"), "train.py", versions=TRL),
        Good(_collator(KEYS[0]), "train.py", versions={"trl": "0.19.1"}),
        Good(script("SFT", "model='m'"), "train.py", versions=TRL),
    ),
)
