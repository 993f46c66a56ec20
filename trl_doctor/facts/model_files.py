"""What config.json and generation_config.json say, and the special token ids of every source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from trl_doctor.core.finding import Json, Place, pointer
from trl_doctor.facts import Facts
from trl_doctor.facts.partly import Partly
from trl_doctor.facts.tokenizer import tokenizer
from trl_doctor.facts.tokenizer.chosen import release
from trl_doctor.files.changes import SetValue
from trl_doctor.files.document import Document

CONFIG = "config.json"
GENERATION = "generation_config.json"

Default: TypeAlias = int | tuple[int, ...]


@dataclass(frozen=True)
class Source:
    """The ids that one source gives for a role, in its order; never empty.

    `name` is the file, "text_config" (inside config.json) or "tokenizer". `unsaid` says that no
    file gives them: transformers puts them for this model type.
    """

    name: str
    ids: tuple[int, ...]
    place: Place
    unsaid: bool = False


def model_config(facts: Facts) -> Document:
    """config.json, an object; raises `Unavailable`."""
    return _changed(facts, CONFIG)


def generation_config(facts: Facts) -> Document:
    """generation_config.json, an object; raises `Unavailable`."""
    return _changed(facts, GENERATION)


def _changed(facts: Facts, name: str) -> Document:
    """A config file with what is set in memory after it was loaded."""
    document = facts.folder.document(name)
    value = document.mapping()
    changes = [one for one in facts.folder.changes if isinstance(one, SetValue)]
    for one in changes:
        if one.file == name and one.why is None:
            value = {**value, one.key: one.value}
    unknown = {one.key: one.why for one in changes if one.file == name and one.why is not None}
    if value is document.value and not unknown:
        return document
    known = {key: held for key, held in value.items() if key not in unknown}
    return replace(document, value=Partly(known, unknown))


def eos_ids(facts: Facts) -> tuple[Source, ...]:
    """The end-of-sequence ids by source: config.json, generation_config.json, tokenizer.

    A source that gives none is not there; files that cannot be read are no sources.
    """
    return tuple(_sources(facts, "eos"))


def pad_ids(facts: Facts) -> tuple[Source, ...]:
    """The padding id by source, like `eos_ids`."""
    return tuple(_sources(facts, "pad"))


def bos_ids(facts: Facts) -> tuple[Source, ...]:
    """The begin-of-sequence id by source, like `eos_ids`."""
    return tuple(_sources(facts, "bos"))


def _sources(facts: Facts, role: str) -> Iterator[Source]:
    key = f"{role}_token_id"
    config = facts.get(model_config)
    if config is not None:
        yield from _of_config(facts, config, key)
    generation = facts.get(generation_config)
    if generation is not None and (ids := _ids(generation.get(key))):
        yield Source(GENERATION, ids, Place(generation.path, pointer(key)))
    known = facts.get(tokenizer)
    special = known.roles.get(f"{role}_token") if known else None
    if special is not None and special.id is not None:
        yield Source("tokenizer", (special.id,), special.place, bool(special.by))


def _of_config(facts: Facts, config: Document, key: str) -> Iterator[Source]:
    """What config.json says at its top and in its text model's part.

    Where it has no such part, transformers puts one of its own for some model types, and hands
    down to it what the top says.
    """
    known = release(facts.environment.version("transformers"))
    model_type = str(config.get("model_type"))
    top = _source(CONFIG, config, (), key, known.ids.get(model_type, {}))
    inner, defaults = config.get("text_config"), known.text_ids.get(model_type, {})
    if isinstance(inner, dict) and "model_type" in inner:
        defaults = known.ids.get(str(inner["model_type"]), {})
    elif key in config.mapping() and model_type in known.hands_down:
        defaults = {}
    text = _source("text_config", config, ("text_config",), key, defaults)
    if top is not None:
        yield top
    if text is not None and (isinstance(inner, dict) or top is None):
        yield text


def _source(
    name: str, config: Document, route: tuple[str, ...], key: str, defaults: Mapping[str, Default]
) -> Source | None:
    """What a part of config.json says, or else the default for the model type."""
    part = config.get(*route)
    if isinstance(part, dict) and key in part:
        ids, at, unsaid = _ids(part[key]), pointer(*route, key), False
    else:
        default = defaults.get(key)
        ids, unsaid = _ids(list(default) if isinstance(default, tuple) else default), True
        at = pointer("model_type")
    return Source(name, ids, Place(config.path, at), unsaid) if ids else None


def _ids(value: Json) -> tuple[int, ...]:
    """One id or a list of them; whatever is no id is left out."""
    values = value if isinstance(value, list) else [value]
    return tuple(one for one in values if isinstance(one, int) and not isinstance(one, bool))
