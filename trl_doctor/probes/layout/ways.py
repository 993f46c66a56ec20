"""What a step is: small, with a batch of the run's own size, with vLLM, or at full size."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from ..small_model.shrink import Tiny, shrunken
from .arguments import Arguments, arguments, batch_of
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


def _own_sizes(request: dict[str, Any], conversational: bool, *_: Any) -> Rows:
    chosen_rows = rows(request, conversational)
    times = max(1, -(-batch_of(request["arguments"]) // len(chosen_rows.rows)))
    return replace(chosen_rows, rows=chosen_rows.rows * times)


def _full(request: dict[str, Any], conversational: bool, *_: Any) -> Rows:
    chosen_rows = rows(request, conversational)
    return longest(chosen_rows, request["arguments"], request["trainer"]["name"])


def _random(
    request: dict[str, Any], role: str, into: Path, end_probability: float | None = None
) -> Tiny:
    """A small random model: `end_probability` is not used, log-probabilities are compared."""
    return shrunken(request, role, into)


SMALL = Way(shrunken, arguments, _small, all_rows=False)
OWN_SIZES = Way(shrunken, partial(arguments, own_sizes=True), _own_sizes, all_rows=False)
ENGINE = Way(_random, partial(arguments, engine=True), _small, all_rows=False)
FULL = Way(linked, whole_arguments, _full)
