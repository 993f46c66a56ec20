"""Words that are written almost like another one."""

from __future__ import annotations

from collections.abc import Collection, Iterable

LONGEST = 200
"""Characters; a longer text is no misspelt name, and comparing it would take minutes."""


def similar(word: str, names: Iterable[str], most: int = 1, alike: float = 0.6) -> list[str]:
    """The names that are most like a word; `alike` is from 0 to 1, and 1 means equal.

    A word that says nothing of evaluation means training, if there is a name for each.
    """
    from difflib import get_close_matches

    if len(word) > LONGEST:
        return []
    known = [name for name in names if len(name) <= LONGEST]
    near = get_close_matches(word, known, most, alike)
    return list(dict.fromkeys(_of_training(word, name, known) for name in near))


def _of_training(word: str, name: str, names: Collection[str]) -> str:
    """The name for training in place of one for evaluation, if the word leaves this part out."""
    from difflib import SequenceMatcher

    twin, without = name.replace("eval", "train"), name.replace("_eval", "")
    if twin == name or twin not in names or without == name:
        return name
    leaves_out = SequenceMatcher(None, word, without).ratio()
    return twin if leaves_out > SequenceMatcher(None, word, name).ratio() else name
