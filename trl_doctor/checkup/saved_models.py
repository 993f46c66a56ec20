"""The model that an earlier trainer of a script saves, and a later one loads."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator, Sequence

from trl_doctor.core.finding import Json
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.partly import Partly
from trl_doctor.facts.script import trainers
from trl_doctor.facts.script.models import loaded
from trl_doctor.facts.script.roles import is_none, models_of
from trl_doctor.facts.script.trainers import Use
from trl_doctor.files.folder import Folder
from trl_doctor.files.source.places import Places
from trl_doctor.files.source.reading import Reading
from trl_doctor.files.source.values import LibraryObject, text_in

Resolve = Callable[[str, str | None], Folder | Unavailable]
"""The folder of a model by its name and revision."""

KEEPS_THE_CLASS = frozenset(
    {
        "sft",
        "dpo",
        "kto",
        "grpo",
        "rloo",
        "orpo",
        "cpo",
        "bco",
        "online_dpo",
        "gkd",
        "nash_md",
        "xpo",
    }
)
"""Trainers that save a language model as they have loaded it."""

CHANGING = ("eos_token", "pad_token", "chat_template_path")
"""Arguments with which a trainer saves another tokenizer than it was given."""


def saved_earlier(
    name: str, reading: Reading, uses: Sequence[Use], places: Places, resolve: Resolve
) -> tuple[Folder, int] | None:
    """The folder of the model that one of the trainers `uses` saves under this name, and its number
    from 1.

    None if none surely does, or if what it saves has other tokens or weights of another kind.
    """
    path = posixpath.normpath(name)
    for number in range(len(uses), 0, -1):
        use = uses[number - 1]
        if path not in _saves(use):
            continue
        model = _unchanged(use, reading, places)
        folder = resolve(*model) if model else None
        if isinstance(folder, Unavailable) and model:
            before = saved_earlier(model[0], reading, uses[: number - 1], places, resolve)
            folder = before[0] if before else None
        return (folder, number) if isinstance(folder, Folder) and _is_settled(folder) else None
    return None


def takes_saved_dtype(arguments: Partly[Json]) -> bool:
    """Whether a run asks for the dtype that the saved weights have, which is not known yet."""
    known = arguments.settled()
    inner = known.get("model_init_kwargs")
    options = {**known, **(inner if isinstance(inner, dict) else {})}
    return any(options.get(key) == "auto" for key in ("dtype", "torch_dtype"))


def _saves(use: Use) -> set[str]:
    """The folders into which `save_model` of a trainer writes."""
    return {posixpath.normpath(text) for text in _saved_into(use) if text}


def _saved_into(use: Use) -> Iterator[str]:
    config = trainers.config(use)
    for deed in use.made.deeds:
        if deed.name != "save_model":
            continue
        given = [*deed.arguments[:1], *(deed.keywords[key].value for key in ("output_dir",)
                                        if key in deed.keywords)]  # fmt: skip
        if given:
            yield text_in(given[0])
        elif isinstance(config, LibraryObject):
            output = {**config.keywords, **config.attributes}.get("output_dir")
            yield text_in(output.value if output else next(iter(config.arguments), None))


def _unchanged(use: Use, reading: Reading, places: Places) -> tuple[str, str | None] | None:
    """The name and the revision of the model that a trainer trains as a whole, with its tokens."""
    config, adapter = trainers.config(use), use.given("peft_config")
    policy = loaded(reading.state, use.value("model", "policy"))
    arguments = (
        {**config.keywords, **config.attributes} if isinstance(config, LibraryObject) else {}
    )
    if (
        use.trainer is None
        or use.trainer.name not in KEEPS_THE_CLASS
        or policy.adapters
        or not (adapter is None or is_none(adapter.value))
        or any(key in arguments for key in CHANGING)
        or (isinstance(config, LibraryObject) and config.rest is not None)
    ):
        return None
    models = dict(models_of(reading, use, policy, places))
    model, tokenizer = models["policy"], models.get("tokenizer")
    if not isinstance(model.name, str) or model.changes:
        return None
    if tokenizer and (tokenizer.name != model.name or tokenizer.changes):
        return None
    return model.name, model.revision


def _is_settled(folder: Folder) -> bool:
    """Whether there is a pad token, and configs and tokenizer agree on the eos.

    A trainer then saves the tokenizer and the configs as they are.
    """
    try:
        settings = folder.get("tokenizer_config.json")
        if settings is None or not settings.get("pad_token"):
            return False
        eos = _eos_of_tokenizer(folder)
        ids = [_eos_of(folder, name) for name in ("config.json", "generation_config.json")]
    except Unavailable:
        return False
    return eos is not None and all(not known or eos in known for known in ids)


def _eos_of_tokenizer(folder: Folder) -> int | None:
    settings = folder.get("tokenizer_config.json")
    whole = folder.get("tokenizer.json")
    token = settings.get("eos_token") if settings else None
    text = token.get("content") if isinstance(token, dict) else token
    added = whole.get("added_tokens") if whole else None
    for entry in added if isinstance(added, list) else ():
        if isinstance(entry, dict) and entry.get("content") == text:
            number = entry.get("id")
            return number if isinstance(number, int) else None
    return None


def _eos_of(folder: Folder, name: str) -> set[int]:
    """The ids at which a config file stops; none if it names none."""
    file = folder.get(name)
    ids = file.get("eos_token_id") if file else None
    every = ids if isinstance(ids, list) else [ids]
    return {number for number in every if isinstance(number, int)}
