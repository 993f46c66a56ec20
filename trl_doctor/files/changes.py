"""What is done to a model or a tokenizer in memory, after its files were loaded."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

from trl_doctor.core.finding import Place
from trl_doctor.core.unavailable import Unavailable


class SetRole(Struct, frozen=True):
    """A special token is set: to a text, an id, or the token of another role (`of`).

    `only_missing` says that this happens only if the tokenizer has none, `adds` that a token which
    the vocabulary lacks is added to it.
    """

    role: str
    token: str | int | None
    of: str
    only_missing: bool
    place: Place
    adds: bool = False


class AddTokens(Struct, frozen=True):
    """Tokens are added to the vocabulary, those that it lacks."""

    tokens: tuple[str, ...]
    special: bool
    place: Place


class SetTemplate(Struct, frozen=True):
    """The chat template is set."""

    text: str
    place: Place


class Open(Struct, frozen=True, eq=False):
    """What may have changed, and why that is not known: roles, "added" or "chat_template"."""

    parts: tuple[str, ...]
    why: Unavailable
    place: Place


class Resize(Struct, frozen=True, eq=False):
    """The embeddings get that many rows: a number, "tokenizer" for its length, None for unknown."""

    rows: int | str | None
    why: Unavailable | None
    place: Place


class SetValue(Struct, frozen=True, eq=False):
    """A value of a config file is set in memory; `why` where the value is not known.

    `role` names the token of the run's tokenizer whose id it is, "" for other values.
    """

    file: str
    key: str
    value: bool | int | float | str | None
    why: Unavailable | None
    place: Place
    role: str = ""


Change: TypeAlias = SetRole | AddTokens | SetTemplate | Open | Resize | SetValue
