"""How large a step is laid out: a small one, one at full size, or one that is only traced."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..small_model.shrink import Tiny, shrunken
from .arguments import Arguments, arguments
from .rows import Rows, rows
from .whole import arguments as whole_arguments
from .whole import linked, longest


@dataclass(frozen=True)
class Way:
    """Who lays out the models, the arguments and the rows; `all_rows`: every row is trained on.

    `models` is called like `shrunken`, `arguments` like the small step's, `rows` with the request,
    whether conversations are asked for, the config class and the tokenizer's folder.
    """

    models: Callable[..., Tiny]
    arguments: Callable[..., Arguments]
    rows: Callable[..., Rows]
    all_rows: bool = True


def _small(request: dict[str, Any], conversational: bool, *_: Any) -> Rows:
    return rows(request, conversational)


def _full(request: dict[str, Any], conversational: bool, *_: Any) -> Rows:
    found = rows(request, conversational)
    return longest(found, request["arguments"], request["trainer"]["name"])


SMALL = Way(shrunken, arguments, _small, all_rows=False)
FULL = Way(linked, whole_arguments, _full)
