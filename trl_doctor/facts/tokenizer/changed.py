"""The tokenizer after a program has changed it in memory."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from msgspec.structs import replace

from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.partly import Partly
from trl_doctor.facts.tokenizer.chat_templates import ChatTemplate
from trl_doctor.facts.tokenizer.vocabulary import AddedToken
from trl_doctor.files.changes import AddTokens, Change, Open, SetRole, SetTemplate

if TYPE_CHECKING:
    from trl_doctor.core.finding import Place
    from trl_doctor.facts import Facts
    from trl_doctor.facts.tokenizer import SpecialToken, Tokenizer


def changed(tokenizer: Tokenizer, changes: Iterable[Change]) -> Tokenizer:
    """The tokenizer after all changes, made in their order."""
    for change in changes:
        if isinstance(change, SetRole):
            tokenizer = _with_role(tokenizer, change)
        elif isinstance(change, AddTokens):
            tokenizer = _with_tokens(tokenizer, change.tokens, change.special)
        elif isinstance(change, SetTemplate):
            template = {"default": ChatTemplate(change.text, change.place)}
            tokenizer = replace(
                tokenizer, chat_templates={**_known_templates(tokenizer.chat_templates), **template}
            )
        elif isinstance(change, Open):
            tokenizer = _with_unknown_parts(tokenizer, change)
    return tokenizer


def place_of_adding(facts: Facts, token: str | None) -> Place | None:
    """Where a program adds a token to the tokenizer of these facts; None if it does not."""
    for change in facts.folder.changes:
        if isinstance(change, AddTokens) and token in change.tokens:
            return change.place
        if isinstance(change, SetRole) and change.adds and change.token == token:
            return change.place
    return None


def _known_templates(templates: object) -> dict[str, ChatTemplate]:
    assert isinstance(templates, dict)
    return {key: dict.__getitem__(templates, key) for key in dict.__iter__(templates)}


def _with_role(tokenizer: Tokenizer, change: SetRole) -> Tokenizer:
    roles, role = tokenizer.roles, change.role
    try:
        if change.only_missing and roles.get(role) is not None:
            return tokenizer
        new = _special(tokenizer, change)
    except Unavailable as reason:
        return _without(tokenizer, role, reason)
    if change.adds and new is not None:
        tokenizer = _with_tokens(tokenizer, (new.content,), True)
        id = (
            None
            if isinstance(tokenizer.vocabulary_or_reason, Unavailable)
            else tokenizer.vocabulary_or_reason.id(new.content)
        )
        new = replace(new, id=id)
    known_roles = {key: token for key, token in _known_roles(tokenizer) if key != role}
    unknown_roles = {
        key: reason for key, reason in _unknown_roles(tokenizer).items() if key != role
    }
    if new is not None:
        known_roles[role] = new
    return replace(tokenizer, roles=Partly(known_roles, unknown_roles))


def _special(tokenizer: Tokenizer, change: SetRole) -> SpecialToken | None:
    """The token that the role gets; None if it is unset."""
    from trl_doctor.facts.tokenizer import SpecialToken

    if change.of:
        source = tokenizer.roles.get(change.of)
        return replace(source, place=change.place, by="") if source else None
    if change.token is None:
        return None
    if isinstance(change.token, int):
        text = tokenizer.token(change.token)
        return SpecialToken(text, change.token, change.place) if text is not None else None
    if isinstance(tokenizer.vocabulary_or_reason, Unavailable):
        claimed = {token.content: id for id, token in tokenizer.claimed.items()}
        return SpecialToken(change.token, claimed.get(change.token), change.place)
    id = tokenizer.vocabulary_or_reason.id(change.token)
    unknown = tokenizer.roles.get("unk_token") if id is None else None
    return SpecialToken(change.token, unknown.id if unknown else id, change.place)


def _with_tokens(tokenizer: Tokenizer, tokens: tuple[str, ...], special: bool) -> Tokenizer:
    if isinstance(tokenizer.vocabulary_or_reason, Unavailable):
        return tokenizer
    added = [AddedToken(token, special, not special) for token in tokens]
    return replace(tokenizer, vocabulary_or_reason=tokenizer.vocabulary_or_reason.with_added(added))


def _with_unknown_parts(tokenizer: Tokenizer, change: Open) -> Tokenizer:
    for part in change.parts:
        if part == "added":
            tokenizer = replace(tokenizer, vocabulary_or_reason=change.why)
        elif part == "chat_template":
            tokenizer = replace(tokenizer, chat_templates=Partly({}, {"default": change.why}))
        else:
            tokenizer = _without(tokenizer, part, change.why)
    return tokenizer


def _without(tokenizer: Tokenizer, role: str, reason: Unavailable) -> Tokenizer:
    """The tokenizer, where the token of a role has become unknown for a reason."""
    known_roles = {key: token for key, token in _known_roles(tokenizer) if key != role}
    return replace(
        tokenizer, roles=Partly(known_roles, {**_unknown_roles(tokenizer), role: reason})
    )


def _known_roles(tokenizer: Tokenizer) -> Iterable[tuple[str, SpecialToken]]:
    roles = tokenizer.roles
    return roles.settled().items() if isinstance(roles, Partly) else roles.items()


def _unknown_roles(tokenizer: Tokenizer) -> dict[str, Unavailable]:
    return tokenizer.roles.unknown if isinstance(tokenizer.roles, Partly) else {}
