"""Words of a command line that hydra reads: `lr=1,2` in a sweep, and those about hydra itself."""

from __future__ import annotations

import re

SWEEPS = ("-m", "--multirun")
"""Options with which hydra runs a job for each of several values: `lr=1,2`."""

OF_HYDRA = ("hydra/", "hydra.")
CHOICE = re.compile(r"choice\((.*)\)")
SEPARATED = re.compile(r",(?![^\[({\"']*[\])}\"'])")
"""A comma outside of brackets and quotation marks."""


def values(word: str) -> list[str]:
    """`a=1,2` or `a=choice(1,2)` as a word for each value, as a sweep has it."""
    key, equals, text = word.partition("=")
    if not equals or word.startswith("-"):
        return [word]
    choice = CHOICE.fullmatch(text)
    parts = SEPARATED.split(choice[1] if choice else text)
    return [f"{key}={part.strip()}" for part in parts]
