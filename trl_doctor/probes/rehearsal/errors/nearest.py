"""The name that is most like one that is not there."""

from __future__ import annotations

import difflib
from collections.abc import Collection


def misspelt(name: str, names: Collection[str]) -> str:
    """The most similar name of the same words: another word is not a wrong letter."""
    other = nearest(name, names)
    pairs = list(zip(name.split("_"), other.split("_")))
    near = all(difflib.SequenceMatcher(None, *pair).ratio() >= 0.8 for pair in pairs)
    return other if near and name.count("_") == other.count("_") else ""


def nearest(name: str, names: Collection[str]) -> str:
    """The name that is most like another one; "" if none is."""
    matches = difflib.get_close_matches(
        name[:200], [other for other in names if other != name], 1, 0.7
    )
    return _of_training(name, matches[0], names) if matches else ""


def _of_training(name: str, match: str, names: Collection[str]) -> str:
    """The name for training in place of one for evaluation, if a name leaves this part out."""
    twin, without = match.replace("eval", "train"), match.replace("_eval", "")
    if twin == match or twin not in names or without == match:
        return match
    ratios = [difflib.SequenceMatcher(None, name, other).ratio() for other in (without, match)]
    return twin if ratios[0] > ratios[1] else match
