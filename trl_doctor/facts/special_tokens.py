"""What the rules about special tokens share: whose tokenizer, which release, how a token is set."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from packaging.version import Version

from trl_doctor.core.finding import Edit, Put, pointer
from trl_doctor.core.trainer import TRAINERS, Trainer
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.model_files import (
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
"""What transformers takes from config.json where there is no generation_config.json."""


def trained(facts: Facts) -> Facts:
    """The facts of the folder that the training tokenizer comes from.

    Raises `Unavailable` where another program sets the special tokens as it likes.
    """
    if program := facts.run.program:
        raise Unavailable(f"{program} sets special tokens and chat template by rules of its own")
    return facts.at(facts.run.folder_of("tokenizer"))


def known_trainer(facts: Facts) -> str | None:
    """The name of the run's trainer ("grpo"), None while it is open which one it is."""
    trainer = facts.run.trainer
    return trainer.name if isinstance(trainer, Trainer) else None


def trl_of(facts: Facts) -> Version | None:
    """The version of trl where the run will happen, None where that is not known."""
    return facts.environment.version("trl")


def classes(names: Sequence[str]) -> str:
    """Trainers as a reader knows them: "PPO, GKD and GOLD"."""
    stems = [TRAINERS[name].stem for name in names]
    return " and ".join(filter(None, (", ".join(stems[:-1]), stems[-1])))


def edits(facts: Facts, role: str, token: str, id: int) -> tuple[Edit, ...]:
    """What makes a token the "pad" or the "eos" in all files of the run's model and tokenizer."""
    return (
        *named(trained(facts).folder, role, token),
        *in_config(facts.get(model_config), f"{role}_token_id", id),
        *_generation(facts, role, id),
    )


def named(folder: Folder, role: str, token: str) -> Iterator[Edit]:
    """Name a token in the tokenizer's files."""
    for name in (TOKENIZER, MAP):
        if name == TOKENIZER or folder.has(name):
            yield Put(folder.file(name), pointer(f"{role}_token"), token)


def stops_at(facts: Facts, ids: Sequence[int]) -> Iterator[Edit]:
    """Let generation end at these ids; generation_config.json is made where there is none."""
    file = facts.folder.file(GENERATION)
    if not facts.folder.has(GENERATION):
        config = facts.get(model_config)
        for key in FROM_CONFIG:
            value = config.get(key) if config else None
            if value is not None and key != "eos_token_id":
                yield Put(file, pointer(key), value)
    yield Put(file, pointer("eos_token_id"), ids[0] if len(ids) == 1 else list(ids))


def in_config(config: Document | None, key: str, id: int) -> Iterator[Edit]:
    """Set an id where config.json has it, else where its text model is described."""
    if config is None:
        return
    routes = [(), ("text_config",)] if isinstance(config.get("text_config"), dict) else [()]
    there = [route for route in routes if config.get(*route, key) is not None]
    for route in there or routes[-1:]:
        yield Put(config.path, pointer(*route, key), id)


def _generation(facts: Facts, role: str, id: int) -> Iterator[Edit]:
    """Set an id in generation_config.json: the pad alone, an eos as the first of the list."""
    generation = facts.get(generation_config)
    if role == "eos":
        yield from stops_at(facts, [id, *(one for one in listed(facts) if one != id)])
    elif generation is not None:
        yield Put(generation.path, pointer(f"{role}_token_id"), id)


def listed(facts: Facts) -> tuple[int, ...]:
    """The ids at which `generate` ends: generation_config.json's, without one config.json's.

    Raises `Unavailable` where generation_config.json cannot be read.
    """
    if facts.folder.has(GENERATION):
        facts[generation_config]
        names = {GENERATION}
    else:
        names = {CONFIG, "text_config"}
    found = [id for source in facts[eos_ids] if source.name in names for id in source.ids]
    return tuple(dict.fromkeys(found))
