"""The adapter does not train the tokens that the script adds.

The embedding rows of new tokens are random, or the mean of all rows. LoRA freezes the embedding and
the head, so these rows stay as they are: the model can hardly tell the new tokens apart, and can
hardly write them. A new token that ends a turn is then rarely generated, and generation runs to its
limit. The loss falls and no error is raised.

Remedy: train the embedding and the head too, `LoraConfig(…, modules_to_save=["embed_tokens",
"lm_head"])` with the names of this model, or only the new rows, `trainable_token_indices` (PEFT
0.15.0 and newer). Or use tokens that the model already has.

Versions: every trl and every PEFT. A token that only pads needs no training.

Seen: trl#2414. Reproduced with SFT of trl 1.16.0 and peft 0.21.2: after training the rows of new
tokens are what they were before; with the remedy they change.
"""

from collections.abc import Iterator
from typing import Any

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.model.embeddings import input_rows, output_rows
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.script.passed import adapted_by, passed
from trl_doctor.facts.tokenizer import Tokenizer, tokenizer
from trl_doctor.facts.tokenizer.changed import place_of_adding

from ..._recorded.candidate import CONFIG, TOKENIZER, under
from ..._recorded.scripts import LOCAL, script

TARGETS, SAVED, INDICES = "lora_target_modules", "lora_modules_to_save", "trainable_token_indices"
TABLES = ("embed_tokens", "lm_head", "wte", "word_embeddings", "embed_in", "embed_out")
"""The usual names of the embedding and of the head."""
THAWS = frozenset({"get_input_embeddings", "get_output_embeddings", "named_parameters",
                   "parameters"})  # fmt: skip
"""Calls by which a script may train frozen weights itself."""
NEVER_TRAINED = ("pad_token", "unk_token", "mask_token")


def check(facts: Facts) -> Iterator[Finding]:
    new = _new_tokens(facts)
    if not new:
        raise NotConcerned("the script adds no tokens that have to be trained")
    if not facts.run.flag("use_peft"):
        raise NotConcerned("the run trains no adapter")
    names = _tables(facts)
    if facts.run.arguments.get(INDICES) or _covers(facts, SAVED, names):
        return
    if _covers(facts, TARGETS, names):
        return
    adapted = adapted_by(passed(facts).given("model"))
    if adapted and any(deed.name in THAWS for deed in adapted.deeds):
        raise Unavailable("the script may train the embedding itself")
    view = facts.at(facts.run.folder_of("tokenizer"))
    shown = ", ".join(new[:5]) + (f" and {len(new) - 5} more" if len(new) > 5 else "")
    verb = "keeps its untrained row" if len(new) == 1 else "keep their untrained rows"
    saved = ", ".join(f'"{name}"' for name in names[:2])
    yield Finding(
        place_of_adding(view, new[0]) or facts.run.place(TARGETS),
        f"{shown} {verb}: the adapter trains neither the embedding nor the head",
        remedy=f"add modules_to_save=[{saved}] to the adapter's config; PEFT 0.15.0 and newer can "
        "train the new rows alone: trainable_token_indices=tokenizer.convert_tokens_to_ids([…])",
    )


def _new_tokens(facts: Facts) -> list[str]:
    """The tokens that the script adds to the vocabulary, without those that only pad."""
    view = facts.at(facts.run.folder_of("tokenizer"))
    changed: Tokenizer = view[tokenizer]
    before = facts.at(view.folder.changed(()))[tokenizer]
    used = {token.content for role, token in changed.roles.items() if role not in NEVER_TRAINED}
    unused = {
        token.content for role, token in changed.roles.items() if role in NEVER_TRAINED
    } - used
    return [
        token.content
        for _, token in sorted(changed.added.items())
        if before.id(token.content) is None and token.content not in unused
    ]


def _tables(facts: Facts) -> list[str]:
    """The names of the embedding's and the head's modules, those of this model first."""
    rows = (facts.get(input_rows), facts.get(output_rows))
    own = [row.tensor.removesuffix(".weight").rpartition(".")[2] for row in rows if row]
    return [*own, *(name for name in TABLES if name not in own)]


def _covers(facts: Facts, key: str, names: list[str]) -> bool:
    """Whether an argument of the adapter names the embedding or the head."""
    value = facts.run.arguments.get(key)
    stated = value if isinstance(value, list) else [value]
    return any(name in str(module) for module in stated for name in names)


LORA = (
    "from peft import LoraConfig\nfrom transformers import AutoModelForCausalLM, AutoTokenizer\n"
    "tokenizer = AutoTokenizer.from_pretrained('model')\n"
    "model = AutoModelForCausalLM.from_pretrained('model')\n"
    "ADD\nmodel.resize_token_embeddings(len(tokenizer))\n"
)
GIVEN = "model=model, processing_class=tokenizer, peft_config=LoraConfig(CONFIG)"
TURNS = "tokenizer.add_special_tokens({'additional_special_tokens': ['<|user|>', '<|bot|>']})"
PAD = "tokenizer.add_special_tokens({'pad_token': '[PAD]'})"
TRL = {"trl": "1.16.0", "transformers": "5.23.0"}
FILES = under("model", TOKENIZER, CONFIG)


def example(add: str = TURNS, config: str = "", given: str = GIVEN) -> dict[str, Any]:
    """A script that adds tokens, and its model."""
    passed_on = given.replace("CONFIG", config)
    return {**script("SFT", passed_on, before=LORA.replace("ADD", add), rows=LOCAL), **FILES}


RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            example(),
            "train.py",
            versions=TRL,
            says="<|user|>, <|bot|> keep their untrained rows: the adapter trains neither",
        ),
        Bad(
            example(config="target_modules='all-linear'"),
            "train.py",
            versions=TRL,
            says="the adapter trains neither the embedding nor the head",
        ),
        Good(example(config="modules_to_save=['embed_tokens', 'lm_head']"), "train.py", TRL),
        Good(example(config="target_modules=['q_proj', 'embed_tokens']"), "train.py", TRL),
        Good(example(config="trainable_token_indices=[8, 9]"), "train.py", TRL),
        Good(example(add=PAD), "train.py", TRL),
        Good(example(given="model=model, processing_class=tokenizer"), "train.py", TRL),
    ),
)
