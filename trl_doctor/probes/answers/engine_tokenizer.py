"""The answer of the probe `engine_tokenizer`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Lengths:
    """The tokens of the training tokenizer, and of the one that vLLM loads."""

    trained: int
    loaded: int


@dataclass(frozen=True)
class LackingToken:
    """An added token of training that vLLM's tokenizer does not have under this id.

    `in_engine` is its id there, None if it has none; `engine_ids` are what it makes of the
    text, and `engine_text` is the text that it has for the id, None if it has none.
    """

    token: str
    id: int
    in_engine: int | None
    engine_ids: tuple[int, ...]
    engine_text: str | None


@dataclass(frozen=True)
class EncodedText:
    """A text by both: `at` is the first token that differs, None if all are the same.

    `trained` and `loaded` are ids from there on, `counts` the tokens of both.
    """

    text: str
    same: bool
    at: int | None
    trained: tuple[int, ...]
    loaded: tuple[int, ...]
    counts: tuple[int, int]


@dataclass(frozen=True)
class EngineTokenizerAnswer:
    """The training tokenizer beside the one that vLLM loads, with the class `loader`.

    `surplus` are token and id of what only vLLM has added; `special` the ids of both by name
    ("eos_token_id"), None if there is none. `seconds` are those of importing and loading.
    """

    loader: str
    lengths: Lengths
    lacking: tuple[LackingToken, ...]
    surplus: tuple[tuple[str, int], ...]
    special: Mapping[str, tuple[int | None, int | None]]
    texts: tuple[EncodedText, ...]
    template_differs: bool
    seconds: Mapping[str, float]
