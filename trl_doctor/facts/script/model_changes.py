"""What a script does to a model after loading it."""

from __future__ import annotations

from collections.abc import Iterator

from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.script.changes import CHATML, ROLES, condition, formatting
from trl_doctor.facts.script.models import Loaded
from trl_doctor.facts.script.values import as_clause
from trl_doctor.files.changes import Change, Resize, SetValue
from trl_doctor.files.source.joined import FORMATS
from trl_doctor.files.source.places import Places
from trl_doctor.files.source.state import State
from trl_doctor.files.source.values import Deed, LibraryObject, Plain, Unknown

ADDING = ("add_special_tokens", "add_tokens")
"""Methods of a tokenizer that may set a special token."""


def of_model(state: State, model: Loaded, marks: Places) -> tuple[Change, ...]:
    """What the script does to a model: its size, its config, its generation config."""
    changes: list[Change] = []
    for made in reversed(model.objects):
        changes += _sized(made, marks)
        for deed in made.deeds:
            open_, _ = condition(state, made, deed)
            if deed.name == "resize_token_embeddings":
                changes.append(_resized(state, deed, marks, open_))
            for part, file in (
                ("config.", "config.json"),
                ("generation_config.", "generation_config.json"),
            ):
                if deed.name.startswith(part) and deed.name.endswith(" ="):
                    changes.append(_set(state, deed, marks, file, deed.name[len(part) : -2], open_))
    for call in formatting(state, model):
        why = Unavailable(f"how {call.short} changes the model is not known")
        changes.append(Resize(None, why, marks.place("/model", call.span)))
    return tuple(changes)


def _sized(made: LibraryObject, marks: Places) -> Iterator[Change]:
    """How a function for formats changes the model that it returns."""
    call = made.base
    if call is None or call.short not in FORMATS:
        return
    place = marks.place("/model", call.span)
    why = Unavailable(f"{call.short} sets it")
    certain = call.short == CHATML and not {"resize_to_multiple_of"} & call.keywords.keys()
    yield Resize("tokenizer" if certain else None, None if certain else why, place)
    for file in ("config.json", "generation_config.json"):
        for key in ("bos_token_id", "eos_token_id", "pad_token_id"):
            yield SetValue(file, key, None, why, place)


def _resized(state: State, deed: Deed, marks: Places, open_: str) -> Resize:
    place = marks.place("/model/resize_token_embeddings", deed.span)
    value = deed.arguments[0] if deed.arguments else None
    if value is None and "new_num_tokens" in deed.keywords:
        value = deed.keywords["new_num_tokens"].value
    many = deed.keywords.get("pad_to_multiple_of") or (
        deed.arguments[1] if len(deed.arguments) > 1 else None
    )
    if open_:
        return Resize(
            None, Unavailable(f"whether the model is resized is not known: {open_}"), place
        )
    if many is None and isinstance(value, Plain) and isinstance(value.value, int):
        return Resize(value.value, None, place)
    if isinstance(value, Unknown) and value.part == "len()":
        return Resize("tokenizer", None, place)
    why = Unavailable(f"the size of the resized model is not known: {as_clause(state, value)}")
    return Resize(None, why, place)


def _set(state: State, deed: Deed, marks: Places, file: str, key: str, open_: str) -> SetValue:
    place = marks.place(f"/model/{key}", deed.span)
    value = deed.arguments[0]
    reason = open_ or as_clause(state, value)
    if isinstance(value, Plain) and not isinstance(value.value, bytes) and not open_:
        return SetValue(file, key, value.value, None, place)
    why = Unavailable(f"the script sets {key} of {file}: {reason}")
    role = "" if open_ or not isinstance(value, Unknown) else _role(value, deed)
    return SetValue(file, key, None, why, place, role)


def _role(value: Unknown, deed: Deed) -> str:
    """The special token whose id it is, where the script does not set that token later."""
    role = value.part.removesuffix("_id")
    if value.of is None or role not in ROLES or not value.part.endswith("_id"):
        return ""
    later = (other for other in value.of.deeds if other.name.startswith(role)
             or other.name in ADDING)  # fmt: skip
    same = deed.span.source
    sure = all(other.span.source == same and other.span.line < deed.span.line for other in later)
    return role if sure else ""
