"""A changed tokenizer is not saved beside its model.

The script adds tokens or sets a chat template, trains, and saves the model with `save_pretrained`
into a folder that gets no tokenizer. Whoever loads the folder takes the tokenizer of the base
model: it does not know the new tokens, or writes conversations in another format. No error is
raised.

Remedy: `tokenizer.save_pretrained` into the same folder; or `trainer.save_model`, which saves both.

Versions: every release of transformers. Scripts are read, notebooks are not.

Seen: reproduced with SFT of trl 0.24.0: two tokens are added, and the folder has config.json,
generation_config.json and model.safetensors only.
"""

import ast
from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.method_calls import Called, calls
from trl_doctor.facts.rule import Bad, Good, Rule

from .._recorded.scripts import script

CHANGES = ("add_tokens", "add_special_tokens")
TOKENIZERS = ("tok", "processor", "processing_class")
"""Parts of what scripts call a tokenizer."""
BOTH = ("save_model", "push_to_hub")
"""Methods of a trainer that save its tokenizer, too."""


def check(facts: Facts) -> Iterator[Finding]:
    found = facts[calls]
    changed = next((call for call in found if call.method in CHANGES), None)
    if changed is None:
        raise NotConcerned("the script adds no tokens")
    saved = [call for call in found if call.method == "save_pretrained"]
    with_tokens = {_folder(call) for call in saved if _is_tokenizer(call)}
    with_tokens |= {_folder(call) for call in found if call.method in BOTH}
    for call in saved:
        if not _is_tokenizer(call) and _folder(call) not in with_tokens:
            yield Finding(
                call.place,
                f"{call.name}.save_pretrained saves the model without the tokenizer, which has new "
                f"tokens (line {changed.line})",
                remedy=f"save the tokenizer into {_folder(call)}, too",
            )


def _is_tokenizer(call: Called) -> bool:
    return any(part in call.name.lower() for part in TOKENIZERS)


def _folder(call: Called) -> str:
    return ast.unparse(call.node.args[0]) if call.node.args else ""


def files(last: str) -> dict[str, str]:
    before = (
        "from transformers import AutoTokenizer\ntok = AutoTokenizer.from_pretrained('org/m')\n"
        "tok.add_tokens(['<think>'])\n"
    )
    made = script("SFT", "model='org/m', processing_class=tok", before=before)["train.py"]
    return {"train.py": made.replace("\nSFTTrainer(", "\nt = SFTTrainer(") + f"t.train()\n{last}\n"}


SAVED = "t.model.save_pretrained('out/final')"
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            files(SAVED),
            "train.py",
            says="t.model.save_pretrained saves the model without the tokenizer, which has new",
        ),
        Good(files(f"{SAVED}\ntok.save_pretrained('out/final')"), "train.py"),
        Good(files(f"{SAVED}\nt.save_model('out/final')"), "train.py"),
        Good(files("t.save_model('out/final')"), "train.py"),
    ),
)
