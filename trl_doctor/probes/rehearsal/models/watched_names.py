"""Sees texts that the script looks for in the names of weights: none has it, or too many have."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from .. import patching
from ..noted import NotedText
from ..record import Mistake, Record
from ..where import At, called_by_user
from .small import Small

METHODS = ("named_parameters", "named_modules")
SHOWN = 3
"""Parts of the model that are named instead."""

MOST = 8
"""Numbers of layers that are named."""

NO_PART = frozenset({"model", "module", "weight", "bias", "base_layer", "default"})
"""Last parts of a name that say nothing about the part of the model that is meant."""

LAYER = re.compile(r"(?:^|\.)(?:layers?|blocks?|h)\.(\d+)(\.|$)")
"""The number of a layer in the name of a weight, or at the end of a text without its dot."""


class Searches:
    """What the names of one loop were searched for, by text, and the line of the search.

    `layers` is how many the whole model has; 0 if that is not known.
    """

    def __init__(self, layers: int = 0) -> None:
        self.names: list[str] = []
        self.lines: dict[tuple[str, bool], At] = {}
        self.layers = layers
        self.split = set[At]()
        """The lines that take names apart: they may compare the number of a layer."""
        self._by_name: dict[At, dict[str, list[str]]] = {}

    def note(self, name: str, text: Any, at_start: bool) -> None:
        """A text that a name was searched for; `at_start` if only its beginning counts."""
        at = called_by_user()
        for part in text if isinstance(text, tuple) else (text,):
            if at is not None and isinstance(part, str) and "." in part.strip("."):
                self.lines.setdefault((part, at_start), at)
                self._by_name.setdefault(at, {}).setdefault(str(name), []).append(part)

    def too_many(self) -> Iterator[tuple[str, list[int], At]]:
        """A text that ends with a layer's number, other layers that have it, and the line.

        A search ends with the first text that is found. So the texts count that were looked for in
        a name that has none of them: these are all of the line.
        """
        numbers = [int(found[1]) for found in map(LAYER.search, self.names) if found]
        layers = max(self.layers, max(numbers, default=-1) + 1)
        for at, by_name in self._by_name.items():
            if at in self.split:
                continue
            every = {text for texts in by_name.values() for text in texts}
            whole = (texts for name, texts in by_name.items() if not any(t in name for t in texts))
            texts = max(whole, key=len, default=[])
            ends = {text: int(found[1]) for text in texts if (found := LAYER.search(text))
                    and not found[2] and f"{text}." not in every
                    and self._of_whole_stack(text)}  # fmt: skip
            meant = {int(found[1]) for found in map(LAYER.search, texts) if found}
            for text, number in ends.items():
                others = set(range(number + 1, layers)) - meant
                if more := sorted(n for n in others if str(n).startswith(str(number))):
                    yield text, more, at
                    break

    def _of_whole_stack(self, text: str) -> bool:
        """Whether a text is looked for in the stack of layers that the config counts.

        Other parts of a model, such as a head of the script's own, may have few layers.
        """
        stacks: dict[str, set[str]] = {}
        for name in self.names:
            if found := LAYER.search(name):
                stacks.setdefault(name[: found.start(1)], set()).add(found[1])
        most = max(map(len, stacks.values()), default=0)
        largest = [stack for stack, numbers in stacks.items() if len(numbers) == most]
        having = [name for name in self.names if text in name]
        return not having or all(any(n.startswith(stack) for n in having) for stack in largest)

    def in_vain(self) -> Iterator[tuple[str, str, At]]:
        """A text that no name has, the parts that end as it does, and the line of the search.

        Not where another text of the line has that part and is found: a script may name the part as
        several models do.
        """
        found = {(tail_of(t), at) for (t, start), at in self.lines.items() if self._has(t, start)}
        for (text, start), at in self.lines.items():
            tail = tail_of(text)
            if self._has(text, start) or tail in NO_PART or (tail, at) in found:
                continue
            heads = (f".{name}.".partition(f".{tail}.") for name in self.names)
            parts = dict.fromkeys(f"{head}.{tail}".strip(".") for head, mark, _ in heads if mark)
            if parts:
                yield text, ", ".join(list(parts)[:SHOWN]), at

    def _has(self, text: str, at_start: bool) -> bool:
        return any(name.startswith(text) if at_start else text in name for name in self.names)


class Name(NotedText):
    """The name of a weight that notes what it is searched for."""

    searches: Searches

    def startswith(self, prefix: Any, *bounds: Any) -> bool:
        self.searches.note(self, prefix, at_start=True)
        return str.startswith(self, prefix, *bounds)

    def split(self, *how: Any, **more: Any) -> Any:
        if (at := called_by_user()) is not None:
            self.searches.split.add(at)
        return str.split(self, *how, **more)

    def __contains__(self, text: Any) -> bool:
        self.searches.note(self, text, at_start=False)
        return str.__contains__(self, text)


def tail_of(text: str) -> str:
    """The last part of a name, with the part before it if it is a number: `layers.0`."""
    parts = text.strip(".").split(".")
    return ".".join(parts[-2:]) if parts[-1].isdigit() else parts[-1]


class WatchedNames:
    """Gives the script's own loops over the names of a model names that note their searches."""

    def __init__(self, record: Record, small: Small) -> None:
        self.record, self.small = record, small
        self._reported: set[str] = set()
        self._file = ""

    def act(self, module: ModuleType) -> None:
        """`Module` of `torch.nn.modules.module`."""
        self._file = module.__file__ or ""
        for name in METHODS:
            patching.around(module.Module, name, self._named)

    def _named(self, original: Any, model: Any, *args: Any, **more: Any) -> Iterator[Any]:
        pairs: Iterator[Any] = original(model, *args, **more)
        if sys._getframe(2).f_code.co_filename == self._file:  # a model asks its parts, one by one
            return pairs
        return pairs if called_by_user() is None else self._watched(pairs, self._layers(model))

    def _layers(self, model: Any) -> int:
        """The layers of the whole model, 0 if they are not known."""
        folder = getattr(getattr(model, "config", None), "_name_or_path", "")
        return self.small.layers.get(str(folder), 0)

    def _watched(self, pairs: Iterator[Any], layers: int) -> Iterator[Any]:
        searches = Searches(layers)
        for text, part in pairs:
            name = Name(text)
            name.searches = searches
            searches.names.append(text)
            yield name, part
        for text, parts, at in searches.in_vain():
            if text not in self._reported:
                self._reported.add(text)
                self.record.mistake(Mistake("unmatched name", [text, parts], at))
        for text, numbers, at in searches.too_many():
            if text not in self._reported:
                self._reported.add(text)
                words = [text, ", ".join(map(str, numbers[:MOST])), str(len(numbers))]
                self.record.mistake(Mistake("name of more layers", words, at))
