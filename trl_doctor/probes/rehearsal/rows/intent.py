"""What the user's own code says about rows that would be wrong otherwise."""

from __future__ import annotations

import ast
import linecache
import re
from collections.abc import Iterator

from ...intentions import LOW_IS_GOOD, column_is_read
from ...named_objects import nodes_of
from ..record import Mistake
from ..where import own_files

CLOSED_BOOK = re.compile(
    r"closed[ _-]?book|\bwithout[ _-](?:the |any )?"
    r"(?:contexts?|passages?|documents?|history|system (?:prompts?|messages?))\b"
    r"|\bsingle[ _-]?turns?\b|\bno (?:memory|history|context|system (?:prompts?|messages?))\b"
    r"|\bstateless\b|context[ _-]?distil",
    re.IGNORECASE,
)
"""A model that must answer without what the question is about."""

HIGH_RANK_IS_GOOD = re.compile(
    r"\b(?:higher|highest|larger|largest|greater)(?:[ _]ranks?)?[ _](?:is|are|means)[ _](?:the )?"
    r"(?:better|best|good)|\b(?:rank )?1[ _](?:is|=|means)[ _](?:the )?(?:worst|lowest)",
    re.IGNORECASE,
)
"""A rank whose high values are the good ones."""

WORST = re.compile(r"(?<![A-Za-z])worst(?![A-Za-z])|anti[ _-]?expert", re.IGNORECASE)
"""Answers that a script takes although, or because, they are bad."""

REMOVING = ("remove_columns", "drop", "pop")


def says(pattern: re.Pattern[str]) -> bool:
    """Whether the user's code or its comments have such words."""
    return any(pattern.search("".join(linecache.getlines(file))) for file in own_files())


def names_each(values: set[str]) -> bool:
    """Whether the user's code has each of these texts in quotes, as a set of them has."""
    code = "".join(line for file in own_files() for line in linecache.getlines(file))
    return all(f'"{value}"' in code or f"'{value}'" in code for value in values)


def removes(column: str) -> bool:
    """Whether the user's code removes a column by its name."""
    return any(
        _named(node, column)
        for file in own_files()
        for node in nodes_of(file)
        if isinstance(node, (ast.Call, ast.Delete))
    )


def reads(column: str, besides: str = "") -> bool:
    """Whether the user's code names a column elsewhere than where it is made."""
    return any(column_is_read(nodes_of(file), column, besides) for file in own_files())


def meant(field: str) -> Iterator[Mistake]:
    """What makes rows right that would be wrong otherwise: rules ask for it. It is no mistake.

    `field` is the column of texts.
    """
    if reads(field, "dataset_text_field"):
        yield Mistake("texts are read", [field])


def low_is_good() -> Iterator[Mistake]:
    """The same of scores."""
    if says(LOW_IS_GOOD):
        yield Mistake("low scores are good")


def _named(node: ast.Call | ast.Delete, column: str) -> bool:
    if isinstance(node, ast.Delete):
        parts = [one.slice for one in node.targets if isinstance(one, ast.Subscript)]
        return column in {value for part in parts for value in _texts(part)}
    called = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    values = [*node.args] if called in REMOVING else []
    values += [word.value for word in node.keywords
               if called == "drop" or word.arg == "remove_columns"]  # fmt: skip
    return column in {text for value in values for text in _texts(value)}


def _texts(node: ast.AST) -> list[object]:
    return [part.value for part in ast.walk(node) if isinstance(part, ast.Constant)]
