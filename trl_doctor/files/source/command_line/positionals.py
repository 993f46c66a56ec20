"""The words of a command line that argparse takes by their order, not by a name."""

from __future__ import annotations

from collections.abc import Sequence

from trl_doctor.files.source.objects import Option
from trl_doctor.files.source.values import Plain

WITHOUT_VALUE = frozenset(
    {"store_true", "store_false", "store_const", "append_const", "count", "help", "version",
     "BooleanOptionalAction"}
)  # fmt: skip
"""Actions of options that no word belongs to."""


def is_positional(option: Option) -> bool:
    """Whether an argument has no name on the command line."""
    return not option.names[0].startswith("-")


def apart(
    options: Sequence[Option], tokens: Sequence[str]
) -> tuple[list[str], dict[str, list[str]]]:
    """The words of the options by name, and those of the arguments by order."""
    ordered = [option for option in options if is_positional(option)]
    if not ordered:
        return list(tokens), {}
    named = {name: option for option in options for name in option.names}
    kept: list[str] = []
    rest: list[str] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        at += 1
        if not token.startswith("-"):
            rest.append(token)
            continue
        kept.append(token)
        count = 0 if "=" in token else _values(named.get(token))
        while at < len(tokens) and count > 0 and not tokens[at].startswith("--"):
            kept.append(tokens[at])
            at, count = at + 1, count - 1
    return kept, dict(_in_order(ordered, rest))


def _values(option: Option | None) -> int:
    """How many words may belong to an option."""
    if option is None:
        return 1
    if option.kind in WITHOUT_VALUE:
        return 0
    given = option.keywords.get("nargs")
    number = given.value.value if given is not None and isinstance(given.value, Plain) else 1
    return number if isinstance(number, int) else 1 if number == "?" else 10**6


def _in_order(ordered: Sequence[Option], words: Sequence[str]) -> list[tuple[str, list[str]]]:
    """The words of each argument; those behind one that takes several are not looked for."""
    found: list[tuple[str, list[str]]] = []
    at = 0
    for option in ordered:
        count = _values(option)
        if at < len(words):
            found.append((option.target, list(words[at : at + count])))
        at += count
    return found
