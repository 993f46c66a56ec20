"""The models and tokenizers of a script: where each comes from, and what is done to it."""

from __future__ import annotations

import re

from msgspec import Struct, field

from trl_doctor.files.source.joined import (
    ADAPTED,
    ADAPTERS,
    FORMATS,
    GIVEN,
    TAKES_OFF,
    THROUGH,
    adds,
    inside,
)
from trl_doctor.files.source.state import State
from trl_doctor.files.source.values import LibraryObject, NamedValue, Plain, Unknown, Value

NAMES = ("pretrained_model_name_or_path", "model_name", "model_name_or_path", "model_id", "model")

OPTION = re.compile(r"""["'](--[\w-]+)["']""")
"""The name of an option in the text that adds it to a parser."""


class Loaded(Struct):
    """A model or tokenizer of the script. `name` is how it is named, None if it is not known.

    `options` are the keyword arguments of `from_pretrained`; `objects` the objects of the script
    that it goes through, what it is loaded with last. `adapters` are the calls that add one;
    `doubt` is why it is not known whether it has one.
    """

    name: Plain | None
    why: Unknown | None = None
    options: dict[str, NamedValue] = field(default_factory=dict)
    rest: Unknown | None = None
    loader: LibraryObject | None = None
    objects: list[LibraryObject] = field(default_factory=list)
    adapters: list[LibraryObject] = field(default_factory=list)
    doubt: Unknown | None = None

    def owns(self, made: LibraryObject | None) -> bool:
        """Whether an object is this one at some stage."""
        return any(held is made for held in self.objects)


def loaded(state: State, value: Value | None, depth: int = 0) -> Loaded:
    """What a value is that is used as a model or tokenizer."""
    if isinstance(value, Plain):
        if isinstance(value.value, str) and value.value.strip():
            return Loaded(value)
        return Loaded(None, Unknown(_no_name(state, value), value.span))
    if isinstance(value, Unknown) and value.of is not None and depth < 20:
        if value.part in ("tokenizer", "model", "base_model"):
            result = loaded(state, value.of, depth + 1)
            result.objects.append(value.of)
            return result
        if value.part == ADAPTED:
            result = loaded(state, value.of, depth + 1)
            result.doubt = value
            return result
        return Loaded(None, value)
    if not isinstance(value, LibraryObject):
        why = value if isinstance(value, Unknown) else None
        return Loaded(None, why or Unknown("the script creates it", getattr(value, "span", None)))
    result = _of_call(state, value, depth) if depth < 20 else Loaded(None)
    result.objects.insert(0, value)
    return result


def _no_name(state: State, value: Plain) -> str:
    """Why a value is no name of a model, with the option that would give one."""
    for settings in state.settings if value.value is None else ():
        for name, entry in settings.attributes.items():
            if entry.value is value and entry.whole is not None and settings.cls is None:
                text = state.pieces[entry.whole.source].shown(entry.whole)
                written = OPTION.search(text)
                flag = written[1] if written else f"--{name}"
                return f"it is None, as {flag} is not given: {GIVEN}"
    if value.value is None:
        return "it is None: no option and no setting gives one"
    return f"it is {value.value!r}"


def _of_call(state: State, value: LibraryObject, depth: int) -> Loaded:
    short = value.short.partition("[")[0]
    if short == "from_pretrained":
        if value.base is not None:  # one of several results
            return loaded(state, value.base, depth + 1)
        return _from_pretrained(state, value, depth)
    if short in THROUGH or short in ADAPTERS or short in TAKES_OFF or short in FORMATS:
        model = loaded(state, inside(value), depth + 1)
        if short in TAKES_OFF:
            model.adapters, model.doubt = [], None
        if adds(value):
            model.adapters.append(value)
        return model
    return Loaded(None, Unknown(f"{value.of} creates it", value.span))


def _from_pretrained(state: State, value: LibraryObject, depth: int) -> Loaded:
    first: Value | None = value.arguments[0] if value.arguments else None
    for name in NAMES:
        if first is None and name in value.keywords:
            first = value.keywords[name].value
    if isinstance(first, LibraryObject):  # a wrapper around a model (value head, adapter)
        model = loaded(state, first, depth + 1)
        if adds(value):
            model.adapters.append(value)
        return model
    if isinstance(first, Plain) and isinstance(first.value, str) and first.value.strip():
        options = {k: option for k, option in value.keywords.items() if k not in NAMES}
        return Loaded(first, None, options, value.rest, value)
    if isinstance(first, Plain):
        unknown = Unknown(_no_name(state, first), first.span or value.span)
        return Loaded(None, unknown, loader=value)
    why = first if isinstance(first, Unknown) else value.rest
    return Loaded(None, why or Unknown("its name is not given", value.span), loader=value)
