"""Whether two tokenizers mean the same words by their numbers."""

import string

from trl_doctor.facts.tokenizer import Tokenizer

COMMON = (*string.ascii_letters, *string.digits)
"""Tokens that nearly every vocabulary has."""


def differing_ids(first: Tokenizer, second: Tokenizer) -> list[tuple[str, int, int]]:
    """Tokens that both have, under different ids: the token, and its ids."""
    own, its = first.vocabulary.base.ids(COMMON), second.vocabulary.base.ids(COMMON)
    return [(t, own[t], its[t]) for t in COMMON if t in own and t in its and own[t] != its[t]]
