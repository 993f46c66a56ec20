"""The padding token cannot be used for padding.

It has no row in the embedding, so the model does not load or fails in the first batch with padding.
Or it also occurs in the text, and some trainers then treat it as padding.

Remedy: use a padding token that the vocabulary already has and that occurs nowhere else.

Versions: every release. Which trainers treat every pad id as padding depends on trl (PPO, XPO and
Nash-MD always; SFT before 0.16.1, GKD and GOLD before 1.9.0).

Seen: unsloth-zoo#831; reproduced: trl 0.15.2, 0.24.0 and 1.16.0: "Padding_idx must be within
num_embeddings" on loading if config.json names the id, else "index out of range in self" in the
first batch that is padded; `generate` of 4.48.3 and 5.23.0 on a batch if generation_config.json
names it. GPT-2 loads and trains with such an id in config.json (PPO of trl 0.12.2): a warning.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Severity
from trl_doctor.core.trainer import TRAINERS
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.chat_template import chat
from trl_doctor.facts.model.files import GENERATION, model_config, pad_ids
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer, trl_of
from trl_doctor.facts.special_tokens import pad_choice, tokenizer_facts
from trl_doctor.facts.special_tokens.padding_masks import Masks, masks
from trl_doctor.facts.tokenizer import SpecialToken, tokenizer

from ..._recorded.candidate import (
    CONFIG,
    RUN,
    TOKENIZER,
    candidate,
    config_files,
    tokenizer_files,
)

PLAIN = ("gpt2", "gpt_neo", "gpt_neox", "gptj", "bloom", "falcon", "mpt", "codegen")
"""Types of models whose embedding is made without the pad id."""


def check(facts: Facts) -> Iterator[Finding]:
    rows, view = pad_choice.embedded_id_count(facts), tokenizer_facts(facts)
    loaded = view.get(tokenizer)
    pad = loaded.pad if loaded else None
    if rows is not None:
        yield from _without_row(facts, rows, pad)
    pad = view[tokenizer].pad
    if pad is None or pad.id is None or (rows is not None and pad.id >= rows):
        return
    yield from _in_the_text(facts, pad)


def _without_row(facts: Facts, rows: int, pad: SpecialToken | None) -> Iterator[Finding]:
    """The pad ids without a row in the embedding, each once."""
    reported = set[int]()
    for source in facts[pad_ids]:
        for id in source.ids:
            if source.name == "tokenizer" or source.is_default or id < rows or id in reported:
                continue
            reported.add(id)
            generates, plain = source.name == GENERATION, _embeds_plainly(facts)
            consequence = "the model does not load"
            if generates or plain:
                consequence = "`generate` fails on a batch" if generates else "it fits no token"
            yield Finding(
                source.place,
                f"pad_token_id {id} of {source.place.file.name} has no row in the embedding "
                f"({rows:,} rows): {consequence}",
                fix=pad_choice.pad_fix(facts),
                severity="warning" if generates or plain else None,
            )
    if pad is not None and pad.id is not None and pad.id >= rows and pad.id not in reported:
        yield Finding(
            pad.place,
            f'the pad token "{pad.content}" has id {pad.id}, but the embedding has {rows:,} rows: '
            "the first batch with padding ends the job",
            evidence=("index out of range in self; on a GPU a device-side assert",),
            fix=pad_choice.pad_fix(facts),
        )


def _embeds_plainly(facts: Facts) -> bool:
    """Whether the model loads with any pad id, and keeps it."""
    config = facts.get(model_config)
    return config is not None and config.get("model_type") in PLAIN


def _in_the_text(facts: Facts, pad: SpecialToken) -> Iterator[Finding]:
    """A pad token that occurs in the training text, if a trainer treats it as padding."""
    hurt, view = masks(facts), tokenizer_facts(facts)
    model_tokenizer = view[tokenizer]
    if not hurt or (model_tokenizer.eos and pad.content == model_tokenizer.eos.content):
        return
    chat_format = view.get(chat)
    if chat_format and chat_format.prints(pad.content):
        clause = "is printed by the chat template"
    elif (
        model_tokenizer.unk
        and pad.content == model_tokenizer.unk.content
        and not _covers_all_text(facts)
    ):
        clause = "is also the unk token, which unknown words become"
    else:
        return
    yield Finding(
        pad.place,
        f'the pad token "{pad.content}" {clause}: {_consequence(facts, hurt)}',
        fix=pad_choice.pad_fix(facts, eos=False),
        severity=_severity(facts, pad, clause),
    )


def _severity(facts: Facts, pad: SpecialToken, clause: str) -> Severity:
    name, chat_format = known_trainer(facts), tokenizer_facts(facts).get(chat)
    if name is None or chat_format is None or "unk" in clause:
        return "note" if name is None else "warning"
    ends_turns = chat_format.turn_end.token == pad.content
    return "warning" if name in ("sft", "gkd", "gold") and not ends_turns else "error"


def _covers_all_text(facts: Facts) -> bool:
    try:
        return pad_choice.never_unknown(tokenizer_facts(facts)[tokenizer])
    except Unavailable:
        return True


def _consequence(facts: Facts, hurt: list[Masks]) -> str:
    trl = f" of trl {trl_of(facts)}" if trl_of(facts) else ""
    if known_trainer(facts) is None:
        return (
            f"trainers that treat every pad id as padding hide it ({hurt[-1].trainer.upper()}{trl})"
        )
    return f"{TRAINERS[hurt[0].trainer].trainer}{trl} {hurt[0].hides}"


BEYOND = tokenizer_files("[PAD]", pad_token="[PAD]")
AFTER = tokenizer_files("[PAD]")
PRINTED = tokenizer_files(pad_token="<|im_start|>")
FIXED = {f"model/{name}": content for name, content in {**TOKENIZER, **CONFIG}.items()}
PPO = {**RUN, "trainer": "ppo"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains=r"pad(ding)?[ _]token|index out of range in self",
    examples=(
        Bad(
            candidate(RUN, TOKENIZER, config_files({"pad_token_id": 8})),
            says="pad_token_id 8 of config.json has no row in the embedding (8 rows)",
            fixed=FIXED,
        ),
        Bad(
            candidate(RUN, TOKENIZER, config_files({"pad_token_id": 8, "model_type": "gpt2"})),
            says="has no row in the embedding (8 rows): it fits no token",
            severity="warning",
            fixed={
                **FIXED,
                "model/config.json": config_files({"model_type": "gpt2"})["config.json"],
            },
        ),
        Bad(
            candidate(RUN, TOKENIZER, config_files(pad_token_id=8)),
            says="`generate` fails on a batch",
            severity="warning",
            fixed=FIXED,
        ),
        Bad(
            candidate(RUN, BEYOND, config_files({"pad_token_id": None})),
            says='the pad token "[PAD]" has id 8, but the embedding has 8 rows',
            fixed={
                "model/tokenizer_config.json": AFTER["tokenizer_config.json"],
                "model/config.json": CONFIG["config.json"],
            },
        ),
        Bad(
            candidate(PPO, PRINTED, config_files({"pad_token_id": 5}, pad_token_id=5)),
            says="is printed by the chat template: PPOTrainer hides it",
            fixed=FIXED,
        ),
        Good(candidate(RUN, PRINTED, config_files({"pad_token_id": 5}))),
        Good(candidate(RUN, BEYOND, config_files({"vocab_size": 64, "pad_token_id": 8}))),
        Good(candidate(PPO, TOKENIZER, CONFIG)),
    ),
)
