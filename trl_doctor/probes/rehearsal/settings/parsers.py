"""Options of the command line that a script's parser does not know, and the script drops."""

from __future__ import annotations

import linecache
import re
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from .. import patching
from ..record import Mistake
from ..where import At, called_by_user

DROPS = re.compile(r",\s*_\w*\s*[)\]]?\s*=|parse_known_args\([^()]*\)\[0\]")
"""A line that gives the rest of the options no name, or one that says that nobody reads it."""

QUOTED = re.compile(r"['\"](--?[A-Za-z][\w-]*)['\"]")
"""Options that the script names: it may look for one in `sys.argv`."""

LAUNCHED = re.compile(r"-?-(local[-_]rank|deepspeed\w*|node[-_]rank|f)\b")
"""Options that launchers add, and that a notebook's kernel gets."""


_known = set[str]()
"""The options that the script's parsers know."""

_left: list[tuple[list[str], At]] = []
"""What was left over, and where."""


def act(module: ModuleType) -> None:
    """Patches of argparse."""
    patching.around(module.ArgumentParser, "parse_known_args", _parsed)


def _parsed(original: Any, parser: Any, *args: Any, **more: Any) -> Any:
    _known.update(getattr(parser, "_option_string_actions", ()))
    result = original(parser, *args, **more)
    at = called_by_user()
    if at and not args and not more and DROPS.search(linecache.getline(*at)):
        _left.append((list(result[1]), at))
    return result


def dropped() -> Iterator[Mistake]:
    """The options that no parser has known so far: a mistake for each line that drops some, once.

    A script may have several parsers, and drops only what none of them knows.
    """
    for words, at in _left:
        known = _known | set(QUOTED.findall("".join(linecache.getlines(at[0]))))
        if unknown := list(_unknown(words, known)):
            yield Mistake("options dropped", [" ".join(unknown)], at)
    _left.clear()


def _unknown(words: list[str], known: set[str]) -> Iterator[str]:
    """The options among the words, each with its value."""
    for place, word in enumerate(words):
        name = word.partition("=")[0]
        if not re.match(r"--?[A-Za-z]", word) or name in known or LAUNCHED.match(word):
            continue
        value = words[place + 1 : place + 2] if "=" not in word else []
        yield " ".join([word, *(one for one in value if not one.startswith("--"))])
