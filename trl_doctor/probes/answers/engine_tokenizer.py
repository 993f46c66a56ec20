"""The answer of the probe `engine_tokenizer`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Lengths:
    """How many tokens the training tokenizer has, and the one that vLLM loads."""

    trained: int
    loaded: int


@dataclass(frozen=True)
class LackingToken:
    """A token added for training that vLLM's tokenizer does not have under the same id."""

    token: str
    id: int
    in_engine: int | None
    """Its id in vLLM's tokenizer, None if it is no token there."""

    engine_ids: tuple[int, ...]
    """The ids into which vLLM's tokenizer splits its text."""

    engine_text: str | None
    """The token that has this id in vLLM's tokenizer, None if there is none."""


@dataclass(frozen=True)
class EncodedText:
    """A text encoded by both tokenizers."""

    text: str
    same: bool
    at: int | None
    """The first place at which the tokens differ, None if they are the same."""

    trained: tuple[int, ...]
    """The ids of the training tokenizer, from `at` on."""

    loaded: tuple[int, ...]
    """The ids of vLLM's tokenizer, from `at` on."""

    counts: tuple[int, int]
    """How many tokens the whole text has for each of the two."""


@dataclass(frozen=True)
class EngineTokenizerAnswer:
    """The training tokenizer compared with the one that vLLM loads."""

    loader: str
    """The class with which vLLM loads it."""

    lengths: Lengths
    lacking: tuple[LackingToken, ...]
    surplus: tuple[tuple[str, int], ...]
    """Token and id of what is added in vLLM's tokenizer alone."""

    special: Mapping[str, tuple[int | None, int | None]]
    """By name ("eos_token_id"): the ids of both, None if a tokenizer has no such token."""

    texts: tuple[EncodedText, ...]
    template_differs: bool
    seconds: Mapping[str, float]
    """How long importing and loading took."""
