"""Texts and dictionaries that note what is read of them, where a library takes plain ones only."""

from __future__ import annotations

from collections import OrderedDict
from types import ModuleType
from typing import Any

KINDS, DEEPEST = (dict, OrderedDict, list, tuple), 4


class NotedText(str):
    """A text that is a text of Python for what pickles it."""

    def __reduce__(self) -> Any:
        return str, (str(self),)


class NotedDict(dict):  # type: ignore[type-arg]
    """A dictionary that is one of Python for what pickles it."""

    def __reduce_ex__(self, protocol: Any) -> Any:
        return dict, (unnoted(self),)


def unnoted(value: Any, depth: int = 0) -> Any:
    """The same value with plain texts and dictionaries; itself if it has no others.

    `torch.load` refuses a file with other kinds.
    """
    kind = type(value)
    if isinstance(value, NotedText):
        return str(value)
    if isinstance(value, NotedDict):
        return {key: dict.__getitem__(value, key) for key in dict.keys(value)}
    if kind not in KINDS or depth > DEEPEST:
        return value
    parts = [*value.items()] if issubclass(kind, dict) else [*value]
    own = [unnoted(part, depth + 1) for part in parts]
    same = all(one is other for one, other in zip(parts, own))
    return value if same else kind(own)


def in_yaml(module: ModuleType) -> None:
    """Let yaml write them as what they stand for."""
    for name in ("SafeRepresenter", "Representer"):
        kind = getattr(module.representer, name)
        for own in NotedText.__subclasses__():
            kind.add_representer(own, lambda writer, text: writer.represent_str(str(text)))
        for other in NotedDict.__subclasses__():
            kind.add_representer(other, lambda writer, one: writer.represent_dict(unnoted(one)))
