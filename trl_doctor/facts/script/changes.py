"""What a script does to a tokenizer after loading it."""

from __future__ import annotations

from collections.abc import Iterator

from trl_doctor.core.finding import Place
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.script.models import Loaded
from trl_doctor.facts.script.values import as_clause
from trl_doctor.files.changes import AddTokens, Change, Open, SetRole, SetTemplate
from trl_doctor.files.source.joined import FORMATS
from trl_doctor.files.source.places import Places
from trl_doctor.files.source.state import State
from trl_doctor.files.source.values import (
    Deed,
    Guard,
    LibraryObject,
    Many,
    Plain,
    Table,
    Unknown,
    Value,
)

ROLES = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token")
ADDITIONAL = ("additional_special_tokens", "extra_special_tokens")
TEMPLATES = frozenset({"setup_chat_format", "clone_chat_template", "get_chat_template",
                       "setup_chat_template", "smart_tokenizer_and_embedding_resize"})  # fmt: skip
"""Functions that change the tokenizer (and model) that they are given."""

CHATML = "setup_chat_format"
CHATML_TOKENS = {"bos_token": "<|im_start|>", "eos_token": "<|im_end|>", "pad_token": "<|im_end|>"}
"""The special tokens that TRL's function for ChatML sets (it never had another format)."""


def of_tokenizer(state: State, tokenizer: Loaded, marks: Places) -> tuple[Change, ...]:
    """What the script does to a tokenizer, in the order in which it does it."""
    changes = list(_by_options(state, tokenizer, marks))
    for made in reversed(tokenizer.objects):
        changes += _formats(made, marks)
        for deed in made.deeds:
            name = deed.name.removeprefix("tokenizer.")
            place = marks.place(f"/tokenizer/{name.rstrip(' =')}", deed.span)
            changes += _deed(state, tokenizer, made, deed, name, place)
    changes += _handed_over(state, tokenizer, marks)
    return tuple(changes)


def _by_options(state: State, tokenizer: Loaded, marks: Places) -> Iterator[Change]:
    """The special tokens that are passed to `from_pretrained`."""
    for name, option in tokenizer.options.items():
        if name in ROLES and option.whole:
            place = marks.place(f"/tokenizer/{name}", option.whole)
            yield from _role(state, tokenizer, name, option.value, place, None, adds=True)
        elif name in ADDITIONAL and option.whole:
            place = marks.place(f"/tokenizer/{name}", option.whole)
            yield from _add(state, option.value, True, place, None)


def _deed(
    state: State, tokenizer: Loaded, made: LibraryObject, deed: Deed, name: str, place: Place
) -> Iterator[Change]:
    open_, missing = condition(state, made, deed)
    role = name.removesuffix(" =").removesuffix("_id")
    if name.endswith(" =") and role in ROLES:
        when = missing if missing and missing.missing.removesuffix("_id") == role else None
        if open_ and not when:
            yield Open(
                (role,), Unavailable(f"whether the script sets {role} is not known: {open_}"), place
            )
        else:
            yield from _role(state, tokenizer, role, deed.arguments[0], place, when)
    elif name == "chat_template =":
        value = deed.arguments[0]
        if isinstance(value, Plain) and isinstance(value.value, str) and not open_:
            yield SetTemplate(value.value, place)
        else:
            why = Unavailable(f"the chat template is not known: {open_ or as_clause(state, value)}")
            yield Open(("chat_template",), why, place)
    elif name == "add_special_tokens":
        yield from _special(state, tokenizer, deed, place, open_, missing)
    elif name == "add_tokens":
        special = deed.keywords.get("special_tokens")
        marked = bool(special and isinstance(special.value, Plain) and special.value.value)
        argument = deed.arguments[0] if deed.arguments else None
        lacks = missing is not None and bool(missing.lacks)
        yield from _add(state, argument, marked, place, "" if lacks else open_)


def condition(state: State, made: LibraryObject, deed: Deed) -> tuple[str, Guard | None]:
    """Why it is not known whether something is done; and the one condition that is understood."""
    guards = [guard for guard in deed.guards if guard not in made.guards]
    if not guards:
        return "", None
    last = guards[-1]
    single = len(guards) == 1 and last.of is not None and (last.missing or last.lacks)
    why = f"it depends on `{last.text}` ({state.place(last.span)})"
    return why, last if single else None


def _role(
    state: State,
    tokenizer: Loaded,
    role: str,
    value: Value,
    place: Place,
    when: Guard | None,
    *,
    adds: bool = False,
) -> Iterator[Change]:
    only = when is not None
    if isinstance(value, Plain) and (isinstance(value.value, str) or value.value is None):
        yield SetRole(role, value.value, "", only, place, adds)
    elif isinstance(value, Plain) and isinstance(value.value, int):
        yield SetRole(role, value.value, "", only, place)
    elif (
        isinstance(value, Unknown)
        and tokenizer.owns(value.of)
        and value.part.removesuffix("_id") in ROLES
    ):
        yield SetRole(role, None, value.part.removesuffix("_id"), only, place)
    elif isinstance(value, LibraryObject) and value.short == "AddedToken" and value.arguments:
        yield from _role(state, tokenizer, role, value.arguments[0], place, when, adds=adds)
    else:
        why = Unavailable(f"{role} of the tokenizer is not known: {as_clause(state, value)}")
        yield Open((role,), why, place)


def _special(
    state: State, tokenizer: Loaded, deed: Deed, place: Place, open_: str, missing: Guard | None
) -> Iterator[Change]:
    value = deed.arguments[0] if deed.arguments else None
    if value is None and "special_tokens_dict" in deed.keywords:
        value = deed.keywords["special_tokens_dict"].value
    if not isinstance(value, Table) or value.rest is not None:
        why = Unavailable(f"the added special tokens are not known: {as_clause(state, value)}")
        yield Open((*ROLES, "added"), why, place)
        return
    for name, entry in value.entries.items():
        role = str(name)
        if role in ROLES:
            when = missing if missing and missing.missing.removesuffix("_id") == role else None
            if open_ and not when:
                why = Unavailable(f"whether the script sets {role} is not known: {open_}")
                yield Open((role, "added"), why, place)
            else:
                yield from _role(state, tokenizer, role, entry.value, place, when, adds=True)
        elif role in ADDITIONAL:
            lacks = missing is not None and bool(missing.lacks)
            yield from _add(state, entry.value, True, place, "" if lacks else open_)


def _add(
    state: State, value: Value | None, special: bool, place: Place, open_: str | None
) -> Iterator[Change]:
    items = value.items if isinstance(value, Many) else [value] if value else []
    tokens = [_text(item) for item in items]
    if open_:
        yield Open(
            ("added",), Unavailable(f"whether tokens are added is not known: {open_}"), place
        )
    elif all(isinstance(token, str) for token in tokens) and tokens:
        yield AddTokens(tuple(str(token) for token in tokens), special, place)
    else:
        why = Unavailable(f"the added tokens are not known: {as_clause(state, value)}")
        yield Open(("added",), why, place)


def _text(value: Value | None) -> str | None:
    if isinstance(value, LibraryObject) and value.short == "AddedToken" and value.arguments:
        value = value.arguments[0]
    return value.value if isinstance(value, Plain) and isinstance(value.value, str) else None


def _handed_over(state: State, tokenizer: Loaded, marks: Places) -> Iterator[Change]:
    """Functions outside the script that may change what they are given."""
    return (_formatted(call, marks) for call in formatting(state, tokenizer))


def formatting(state: State, loaded: Loaded) -> Iterator[LibraryObject]:
    """Calls of `TEMPLATES` that are given an object, and do not return it as it is used later."""
    results = [made.base for made in loaded.objects]
    for made in state.made:
        if made.base is not None or made.short not in TEMPLATES or made in results:
            continue
        values = [*made.arguments, *(value.value for value in made.keywords.values())]
        if any(isinstance(value, LibraryObject) and loaded.owns(value) for value in values):
            yield made


def _formats(made: LibraryObject, marks: Places) -> Iterator[Change]:
    """How a function for formats changes the tokenizer that it returns."""
    call = made.base
    if call is None or call.short not in FORMATS:
        return
    place = marks.place("/tokenizer", call.span)
    if call.short != CHATML:
        yield _formatted(call, marks)
        return
    for role, token in CHATML_TOKENS.items():
        yield SetRole(role, token, "", False, place, adds=True)
    yield Open(("chat_template",), Unavailable(f"{CHATML} writes the chat template"), place)


def _formatted(call: LibraryObject, marks: Places) -> Open:
    why = Unavailable(f"how {call.short} changes the tokenizer is not known")
    return Open((*ROLES, "added", "chat_template"), why, marks.place("/tokenizer", call.span))
