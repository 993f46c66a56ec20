"""Special tokens of a run: whose tokenizer has them, and the edits that set one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trl_doctor.core.finding import Edit, Put, pointer
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.model.files import (
    CONFIG,
    GENERATION,
    eos_ids,
    generation_config,
    model_config,
)
from trl_doctor.files.document import Document
from trl_doctor.files.folder import Folder

TOKENIZER = "tokenizer_config.json"
MAP = "special_tokens_map.json"
FROM_CONFIG = ("bos_token_id", "eos_token_id", "pad_token_id")
"""What transformers takes from config.json if there is no generation_config.json."""


def tokenizer_facts(facts: Facts) -> Facts:
    """The facts of the folder that the training tokenizer comes from.

    Raises `Unavailable` if another program sets the special tokens.
    """
    if program := facts.run.program:
        raise Unavailable(f"{program} sets special tokens and chat template by rules of its own")
    return facts.at(facts.run.folder_of("tokenizer"))


def token_edits(facts: Facts, role: str, token: str, id: int) -> tuple[Edit, ...]:
    """The edits that make a token the "pad" or the "eos" in all files of model and tokenizer."""
    return (
        *tokenizer_edits(tokenizer_facts(facts).folder, role, token),
        *config_edits(facts.get(model_config), f"{role}_token_id", id),
        *_generation(facts, role, id),
    )


def tokenizer_edits(folder: Folder, role: str, token: str) -> Iterator[Edit]:
    """Set a token in the tokenizer's files."""
    for name in (TOKENIZER, MAP):
        if name == TOKENIZER or folder.has(name):
            yield Put(folder.file(name), pointer(f"{role}_token"), token)


def stop_edits(facts: Facts, ids: Sequence[int]) -> Iterator[Edit]:
    """Make generation stop at these ids; generation_config.json is created if it is missing."""
    file = facts.folder.file(GENERATION)
    if not facts.folder.has(GENERATION):
        config = facts.get(model_config)
        for key in FROM_CONFIG:
            value = config.get(key) if config else None
            if value is not None and key != "eos_token_id":
                yield Put(file, pointer(key), value)
    yield Put(file, pointer("eos_token_id"), ids[0] if len(ids) == 1 else list(ids))


def config_edits(config: Document | None, key: str, id: int) -> Iterator[Edit]:
    """Set an id where config.json has it, else where config.json describes its text model."""
    if config is None:
        return
    routes = [(), ("text_config",)] if isinstance(config.get("text_config"), dict) else [()]
    present = [route for route in routes if config.get(*route, key) is not None]
    for route in present or routes[-1:]:
        yield Put(config.path, pointer(*route, key), id)


def _generation(facts: Facts, role: str, id: int) -> Iterator[Edit]:
    """Set an id in generation_config.json: the pad alone, an eos as the first of its list."""
    generation = facts.get(generation_config)
    if role == "eos":
        yield from stop_edits(
            facts, [id, *(other for other in generation_stop_ids(facts) if other != id)]
        )
    elif generation is not None:
        yield Put(generation.path, pointer(f"{role}_token_id"), id)


def generation_stop_ids(facts: Facts) -> tuple[int, ...]:
    """The ids at which `generate` stops: those of generation_config.json, or else of config.json.

    Raises `Unavailable` if generation_config.json cannot be read.
    """
    if facts.folder.has(GENERATION):
        facts[generation_config]
        names = {GENERATION}
    else:
        names = {CONFIG, "text_config"}
    ids = [id for source in facts[eos_ids] if source.name in names for id in source.ids]
    return tuple(dict.fromkeys(ids))
