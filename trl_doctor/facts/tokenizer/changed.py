"""The tokenizer after a program has changed it in memory."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.partly import Partly
from trl_doctor.facts.tokenizer.chat_templates import ChatTemplate
from trl_doctor.facts.tokenizer.vocabulary import AddedToken
from trl_doctor.files.changes import AddTokens, Change, Open, SetRole, SetTemplate

if TYPE_CHECKING:
    from trl_doctor.facts.tokenizer import SpecialToken, Tokenizer


def changed(known: Tokenizer, changes: Iterable[Change]) -> Tokenizer:
    """The tokenizer with the changes made, one after the other."""
    for one in changes:
        if isinstance(one, SetRole):
            known = _with_role(known, one)
        elif isinstance(one, AddTokens):
            known = _with_tokens(known, one.tokens, one.special)
        elif isinstance(one, SetTemplate):
            template = {"default": ChatTemplate(one.text, one.place)}
            known = replace(known, chat_templates={**_settled(known.chat_templates), **template})
        elif isinstance(one, Open):
            known = _open(known, one)
    return known


def _settled(held: object) -> dict[str, ChatTemplate]:
    assert isinstance(held, dict)
    return {key: dict.__getitem__(held, key) for key in dict.__iter__(held)}


def _with_role(known: Tokenizer, change: SetRole) -> Tokenizer:
    roles, role = known.roles, change.role
    try:
        if change.only_missing and roles.get(role) is not None:
            return known
        new = _special(known, change)
    except Unavailable as reason:
        return _without(known, role, reason)
    if change.adds and new is not None:
        known = _with_tokens(known, (new.content,), True)
        id = None if isinstance(known.known, Unavailable) else known.known.id(new.content)
        new = replace(new, id=id)
    kept = {key: one for key, one in _known(known) if key != role}
    open_ = {key: why for key, why in _unknown(known).items() if key != role}
    if new is not None:
        kept[role] = new
    return replace(known, roles=Partly(kept, open_))


def _special(known: Tokenizer, change: SetRole) -> SpecialToken | None:
    """The token that the role gets; None where it is unset."""
    from trl_doctor.facts.tokenizer import SpecialToken

    if change.of:
        other = known.roles.get(change.of)
        return replace(other, place=change.place, by="") if other else None
    if change.token is None:
        return None
    if isinstance(change.token, int):
        text = known.token(change.token)
        return SpecialToken(text, change.token, change.place) if text is not None else None
    if isinstance(known.known, Unavailable):
        claimed = {token.content: id for id, token in known.claimed.items()}
        return SpecialToken(change.token, claimed.get(change.token), change.place)
    id = known.known.id(change.token)
    unknown = known.roles.get("unk_token") if id is None else None
    return SpecialToken(change.token, unknown.id if unknown else id, change.place)


def _with_tokens(known: Tokenizer, tokens: tuple[str, ...], special: bool) -> Tokenizer:
    if isinstance(known.known, Unavailable):
        return known
    added = [AddedToken(token, special, not special) for token in tokens]
    return replace(known, known=known.known.with_added(added))


def _open(known: Tokenizer, change: Open) -> Tokenizer:
    for part in change.parts:
        if part == "added":
            known = replace(known, known=change.why)
        elif part == "chat_template":
            known = replace(known, chat_templates=Partly({}, {"default": change.why}))
        else:
            known = _without(known, part, change.why)
    return known


def _without(known: Tokenizer, role: str, why: Unavailable) -> Tokenizer:
    """The tokenizer whose token of a role is not known."""
    kept = {key: one for key, one in _known(known) if key != role}
    return replace(known, roles=Partly(kept, {**_unknown(known), role: why}))


def _known(known: Tokenizer) -> Iterable[tuple[str, SpecialToken]]:
    held = known.roles
    return held.settled().items() if isinstance(held, Partly) else held.items()


def _unknown(known: Tokenizer) -> dict[str, Unavailable]:
    return known.roles.unknown if isinstance(known.roles, Partly) else {}
