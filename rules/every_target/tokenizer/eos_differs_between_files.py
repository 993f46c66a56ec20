"""The files disagree about which token is the eos.

Training appends the tokenizer's eos, but generation stops only at the tokens in
generation_config.json, and at none if that file names none. The model ends its answer, and
generation goes on.

Remedy: write the tokenizer's id into config.json, and first into the list in
generation_config.json.

Versions: transformers from 4.56.2 on writes the tokenizer's eos into both files when a trainer
starts (not in PPO); before that, the saved model keeps waiting for the other token.

Seen: vllm#4180, open-r1#663 (an `eos_token` of SFT). Reproduced: SFT of trl 0.15.2 with
transformers 4.48.3 trains one token and saves a generation_config.json that ends at another; with
4.57.6 and 5.23.0 both are listed. `generate` of all three runs to the limit where
generation_config.json names no eos, whatever config.json names.
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Edit, Finding, Fix, Place, Severity
from trl_doctor.facts import Facts
from trl_doctor.facts.model.files import CONFIG as CONFIG_FILE
from trl_doctor.facts.model.files import GENERATION, model_config
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer, trl_of
from trl_doctor.facts.special_tokens import (
    config_edits,
    generation_stop_ids,
    pad_choice,
    stop_edits,
    tokenizer_facts,
    turn_ends,
)
from trl_doctor.facts.tokenizer import tokenizer

from ..._recorded.candidate import (
    CONFIG,
    RUN,
    TOKENIZER,
    candidate,
    config_files,
    tokenizer_files,
)

ALIGNED = Version("4.56.2")
"""The first transformers release whose trainer copies the tokenizer's eos into the model's
configs."""

MADE_UP = "tokenizer-token-not-in-vocabulary"
"""The rule about an eos that no file lists: to stop at it, too, is no repair."""


def check(facts: Facts) -> Iterator[Finding]:
    turn_ends.concerned(facts)
    ids, loaded = generation_stop_ids(facts), tokenizer_facts(facts)[tokenizer]
    eos = loaded.eos
    file = GENERATION if facts.folder.has(GENERATION) else CONFIG_FILE
    stated = facts.run.arguments.get("eos_token")
    if isinstance(stated, str):
        yield from _named_by_run(facts, stated, ids, file)
        return
    silent = not ids and file != GENERATION
    if eos is None or eos.id is None or silent or eos.id in ids:
        return
    rows = pad_choice.embedded_id_count(facts)
    fits = rows is None or eos.id < rows
    missing = "" if fits else f", and the embedding has no row for {eos.id}"
    made_up = eos.content in loaded.vocabulary.only_named
    yield Finding(
        Place(facts.folder.file(file), "/eos_token_id"),
        f"the tokenizer's eos is {eos.content} ({eos.id}), {file} "
        f"{f'stops at {turn_ends.shown_ids(facts, ids)}' if ids else 'names no eos'}{missing}",
        evidence=(f"eos_token in {eos.place.file.name}: {eos.content}",),
        fix=Fix(f"stop at {eos.content} ({eos.id}) too", tuple(_edits(facts, eos.id, ids)))
        if fits and not made_up
        else None,
        severity=_severity(facts) if fits else None,
        remedy="name one of these tokens as eos_token" if made_up and ids else "",
        follows=(MADE_UP,) if made_up else (),
    )


def _named_by_run(facts: Facts, eos: str, ids: tuple[int, ...], file: str) -> Iterator[Finding]:
    """The eos that the run names: old releases of transformers train it, and keep the file's."""
    id, transformers = (
        tokenizer_facts(facts)[tokenizer].id(eos),
        facts.environment.version("transformers"),
    )
    old = transformers is not None and transformers < ALIGNED
    source: bytes = getattr(facts.run.file, "data", b"")
    if old and id is not None and ids and id not in ids and b"generation_config" not in source:
        yield Finding(
            facts.run.place("eos_token"),
            f"eos_token is {eos} ({id}), {file} stops at {turn_ends.shown_ids(facts, ids)}: "
            f"transformers {transformers} saves it as it is, and the trained model goes on",
            remedy="before the model is saved, set model.generation_config.eos_token_id to "
            "the tokenizer's; or list the id in generation_config.json",
            severity="warning",
        )


def _edits(facts: Facts, eos: int, ids: tuple[int, ...]) -> Iterator[Edit]:
    """What newer transformers releases write when training starts."""
    yield from config_edits(facts.get(model_config), "eos_token_id", eos)
    yield from stop_edits(facts, [eos, *ids])


def _severity(facts: Facts) -> Severity:
    """An error if the trainer or the saved model never stops at the eos."""
    transformers, trl = facts.environment.version("transformers"), trl_of(facts)
    name = known_trainer(facts)
    alone = name in ("grpo", "rloo") and trl is not None and trl >= Version("0.16.0")
    old = transformers is not None and transformers < ALIGNED
    return "error" if name is not None and old and not alone else "warning"


DIFFERENT = config_files({"eos_token_id": 4}, eos_token_id=4)
FIXED = {f"model/{name}": content for name, content in CONFIG.items()}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            candidate({**RUN, "trainer": "sft"}, TOKENIZER, DIFFERENT),
            versions={"trl": "0.15.2", "transformers": "4.48.3"},
            says="the tokenizer's eos is <|im_end|> (6), generation_config.json stops at "
            "<|endoftext|> (4)",
            fixed=FIXED,
        ),
        Bad(candidate(RUN, TOKENIZER, DIFFERENT), target="model", severity="warning", fixed=FIXED),
        Bad(
            candidate(RUN, tokenizer_files(eos_token="<|imend|>"), config_files({"vocab_size": 9})),
            target="model",
            says="the tokenizer's eos is <|imend|> (8)",
            severity="warning",
        ),
        Bad(
            candidate(RUN, TOKENIZER, config_files({"vocab_size": 6}, eos_token_id=4)),
            target="model",
            says="the embedding has no row for 6",
        ),
        Bad(
            candidate(RUN, TOKENIZER, config_files(eos_token_id=None)),
            target="model",
            says="generation_config.json names no eos",
            severity="warning",
            fixed={"model/generation_config.json": {"pad_token_id": 7, "eos_token_id": 6}},
        ),
        Bad(
            candidate({**RUN, "trainer": "sft", "eos_token": "<|im_end|>"}, TOKENIZER, DIFFERENT),
            versions={"trl": "0.19.1", "transformers": "4.51.3"},
            says="eos_token is <|im_end|> (6), generation_config.json stops at <|endoftext|> (4): "
            "transformers 4.51.3 saves it as it is",
            severity="warning",
        ),
        Good(
            candidate({**RUN, "trainer": "sft", "eos_token": "<|im_end|>"}, TOKENIZER, DIFFERENT),
            versions={"trl": "0.24.0", "transformers": "4.57.6"},
        ),
        Good(candidate(RUN, TOKENIZER, config_files({"eos_token_id": 4}))),
        Good(candidate(RUN, TOKENIZER, CONFIG), target="model"),
    ),
)
