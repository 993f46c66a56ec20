"""The contents of config.json and generation_config.json, and special token ids by source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from trl_doctor.core.finding import Json, Place, pointer
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.partly import Partly
from trl_doctor.facts.tokenizer import tokenizer
from trl_doctor.facts.tokenizer.chosen import release
from trl_doctor.files.changes import SetRole, SetValue
from trl_doctor.files.document import Document

CONFIG = "config.json"
GENERATION = "generation_config.json"

Default: TypeAlias = int | tuple[int, ...]


class Source(Struct, frozen=True):
    """The ids that one source gives for a role, in its order; never empty.

    `name` is the file, "text_config" (inside config.json) or "tokenizer". `is_default` says that no
    file gives them: they are the defaults of transformers for this model type.
    """

    name: str
    ids: tuple[int, ...]
    place: Place
    is_default: bool = False


def model_config(facts: Facts) -> Document:
    """config.json, an object; raises `Unavailable`."""
    return _changed(facts, CONFIG)


def generation_config(facts: Facts) -> Document:
    """generation_config.json, an object; raises `Unavailable`."""
    return _changed(facts, GENERATION)


def _changed(facts: Facts, name: str) -> Document:
    """A config file with the values that the run sets in memory after loading it."""
    document = facts.folder.document(name)
    value = document.mapping()
    changes = [change for change in facts.folder.changes if isinstance(change, SetValue)]
    unknown: dict[str, Unavailable] = {}
    for change in changes:
        id = _id_of(facts, change.role) if change.role else None
        if change.file == name and (change.why is None or id is not None):
            value = {**value, change.key: change.value if id is None else id}
            unknown.pop(change.key, None)
        elif change.file == name and change.why is not None:
            unknown[change.key] = change.why
    if value is document.value and not unknown:
        return document
    known_values = {key: value_ for key, value_ in value.items() if key not in unknown}
    return replace(document, value=Partly(known_values, unknown))


def _id_of(facts: Facts, role: str) -> int | None:
    """The id of a special token of the run's tokenizer; None where it is not known."""
    loaded = facts.at(facts.run.folder_of("tokenizer")).get(tokenizer)
    special = loaded.roles.get(role) if loaded else None
    return special.id if special else None


def set_in_memory(facts: Facts, file: str, key: str) -> Place | None:
    """Where the run's own code sets a value of a config file after loading it; None for nowhere.

    For the id of a special token that the code sets itself, that is where it sets the token.
    """
    folder = facts.run.folder_of("tokenizer")
    changes = () if isinstance(folder, Unavailable) else folder.changes
    for change in reversed(facts.folder.changes):
        if isinstance(change, SetValue) and (change.file, change.key) == (file, key):
            tokens = [token.place for token in changes
                      if isinstance(token, SetRole) and token.role == change.role]  # fmt: skip
            return tokens[-1] if change.role and tokens else change.place
    return None


def eos_ids(facts: Facts) -> tuple[Source, ...]:
    """The end-of-sequence ids by source: config.json, generation_config.json, tokenizer.

    A source without ids is left out; files that cannot be read are ignored.
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
    loaded = facts.get(tokenizer)
    special = loaded.roles.get(f"{role}_token") if loaded else None
    if special is not None and special.id is not None:
        yield Source("tokenizer", (special.id,), special.place, bool(special.by))


def _of_config(facts: Facts, config: Document, key: str) -> Iterator[Source]:
    """The ids at the top of config.json, and those of its text model.

    Where config.json has no part for a text model, transformers creates one with defaults for some
    model types, and copies the values at the top to it.
    """
    classes = release(facts.environment.version("transformers"))
    model_type = str(config.get("model_type"))
    top = _source(CONFIG, config, (), key, classes.ids.get(model_type, {}))
    inner, defaults = config.get("text_config"), classes.text_ids.get(model_type, {})
    if isinstance(inner, dict) and "model_type" in inner:
        defaults = classes.ids.get(str(inner["model_type"]), {})
    elif key in config.mapping() and model_type in classes.hands_down:
        defaults = {}
    text = _source("text_config", config, ("text_config",), key, defaults)
    if top is not None:
        yield top
    if text is not None and (isinstance(inner, dict) or top is None):
        yield text


def _source(
    name: str, config: Document, route: tuple[str, ...], key: str, defaults: Mapping[str, Default]
) -> Source | None:
    """The ids of a part of config.json, or else the default for the model type."""
    mapping = config.get(*route)
    if isinstance(mapping, dict) and key in mapping:
        ids, at, is_default = _ids(mapping[key]), pointer(*route, key), False
    else:
        default = defaults.get(key)
        ids, is_default = _ids(list(default) if isinstance(default, tuple) else default), True
        at = pointer("model_type")
    return Source(name, ids, Place(config.path, at), is_default) if ids else None


def _ids(value: Json) -> tuple[int, ...]:
    """One id or a list of ids; values that are no ids are left out."""
    values = value if isinstance(value, list) else [value]
    return tuple(item for item in values if isinstance(item, int) and not isinstance(item, bool))
