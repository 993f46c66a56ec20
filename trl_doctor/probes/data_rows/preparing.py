"""Lets the real trainer prepare the run's rows, part by part, on a model that has no fault."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from ..answers.data import RowFault
from ..answers.rows import Labels
from ..child import error_answer, line
from ..layout import pictures
from ..layout.arguments import arguments
from ..layout.planning import OFFLINE, Laid
from ..layout.rows import Rows, generated_rows
from ..layout.ways import Way
from ..processing import processing_of
from ..refusal import Refused
from ..small_model.healthy import control, with_tokenizer_of
from ..small_model.shrink import shrunken
from ..step import labels_of, prepared
from .collating import accepted_uncut, collating, largest_first
from .prompts import renderer

FIRST, LARGER, MOST = 64, 4, 20_000
"""Rows of the first part, how much larger the next one is, and rows of a part at most."""

Prepare = Callable[[Any], Labels | None]
"""Prepares rows as the trainer does, and raises what that raises."""


@dataclasses.dataclass
class Prepared:
    """How many rows were prepared, what came out, and the first that was refused.

    `pictured` says that they have images.
    """

    rows: int = 0
    labels: Labels | None = None
    fault: RowFault | None = None
    pad: int | None = None
    laid: Laid | None = None
    pictured: bool = False


def prepare(request: dict[str, Any], rows: Any, conversational: bool, limit: float) -> Prepared:
    """Prepare as many rows as the seconds of the limit allow, the first ones first.

    Raises `Refused` if the trainer does not prepare rows that are well either.
    """
    result = Prepared()
    policy = request["folders"]["policy"]
    if set(pictures.COLUMNS) & set(rows.column_names):
        if not policy:
            raise Refused("its rows have images, and the model is not here")
        if pictures.sees(policy):
            return _pictured(request, rows, conversational, result, limit)
    if request["trainer"]["name"] in OFFLINE:
        preparation = _by_trainer(request, conversational, result)
    else:
        preparation = _by_template(request)
    start, size, parts = time.monotonic(), FIRST, list[Labels]()
    while result.rows < len(rows):
        part = rows.select(range(result.rows, min(result.rows + size, len(rows))))
        try:
            labels = preparation(part)
        except Exception as error:
            result.fault = _first(preparation, part, error, result.rows, rows)
            break
        parts += [labels] if labels else []
        result.rows += len(part)
        seconds_left, speed = (
            limit - (time.monotonic() - start),
            result.rows / (time.monotonic() - start),
        )
        size = int(min(size * LARGER, MOST, seconds_left * speed))
        if size < 1:
            break
    result.labels = _together(parts) if parts else None
    return result


def _pictured(
    request: dict[str, Any], rows: Any, conversational: bool, result: Prepared, limit: float
) -> Prepared:
    """Collate rows with images one by one, the largest first. Raises `Refused`."""
    if request["trainer"]["name"] not in OFFLINE:
        raise Refused("the trainer prepares rows with images batch by batch, in the training step")
    until, result.pictured = time.monotonic() + limit, True
    order = largest_first(rows, until - limit / 2)
    repeat = _laid(request, conversational, result)
    trainer, layout = _built(repeat, result), result.laid
    assert layout
    collate = collating(trainer, lambda: labels_of(trainer, layout, request, 1))
    parts = list[Labels]()
    for number in order:
        try:
            labels = collate(rows.select([number]))
        except Exception as error:
            every = _fails(collate, rows, order[-1], error)
            cut = accepted_uncut(trainer, collate, rows.select([number]))
            result.fault = RowFault(number + 1, error_answer(error), every, cut)
            break
        parts += [labels] if labels else []
        result.rows += 1
        if time.monotonic() > until:
            break
    result.labels = _together(parts) if parts else None
    return result


def _by_trainer(request: dict[str, Any], conversational: bool, preparation: Prepared) -> Prepare:
    """The real trainer's own constructor. Raises `Refused` if it fails with generated rows."""
    repeat = _laid(request, conversational, preparation)
    _built(repeat, preparation)

    def prepare(rows: Any) -> Labels | None:
        repeat.Dataset = SimpleNamespace(from_list=lambda _: rows)
        assert preparation.laid
        return labels_of(repeat.build(), preparation.laid, request, len(rows))

    return prepare


def _laid(request: dict[str, Any], conversational: bool, preparation: Prepared) -> Any:
    """The script of a step on generated rows, imported. Raises `Refused`."""
    if not (request["folders"]["tokenizer"] or request["folders"]["policy"]):
        request = {**request, **control(Path("control").absolute())}
    text = request["arguments"].get("dataset_text_field")
    healthy = generated_rows(request["trainer"]["name"], conversational, text)
    sees = pictures.sees(request["folders"]["policy"])  # its class makes no Llama
    if sees and preparation.pictured:
        healthy = pictures.added(healthy, request)
    way = Way(
        shrunken if sees else with_tokenizer_of,
        arguments,
        lambda *_: Rows(healthy, "made", conversational),
    )
    preparation.laid, repeat = prepared(request, way)
    return repeat


def _built(repeat: Any, preparation: Prepared) -> Any:
    """The trainer on the generated rows. Raises `Refused` if it takes none."""
    try:
        trainer = repeat.build()
    except Exception as error:
        raise Refused(f"the trainer refuses rows that are well too: {line(error)}") from error
    preparation.pad = getattr(processing_of(trainer), "pad_token_id", None)
    return trainer


def _by_template(request: dict[str, Any]) -> Prepare:
    """The prompts as text and tokens, which GRPO and RLOO make of them batch by batch."""
    render = renderer(request)

    def prepare(rows: Any) -> None:
        for prompt in rows["prompt"]:
            render(prompt)

    return prepare


def _first(preparation: Prepare, part: Any, error: Exception, before: int, rows: Any) -> RowFault:
    """The first row of a part that is refused; where `before` rows went well."""
    good, bad = 0, len(part)
    while bad - good > 1:
        middle = (good + bad) // 2
        try:
            preparation(part.select(range(middle)))
            good = middle
        except Exception as another:
            bad, error = middle, another
    every = len(rows) > 1
    every = every and _fails(preparation, rows, len(rows) - 1, error)
    return RowFault(before + bad, error_answer(error), every)


def _fails(preparation: Prepare, rows: Any, number: int, as_: Exception) -> bool:
    """Whether another row is refused with an error of the same class."""
    try:
        preparation(rows.select([number]))
    except Exception as error:
        return type(error) is type(as_)
    return False


def _together(parts: list[Labels]) -> Labels:
    """The counts of all parts; the last targets of the first."""
    targets = [part.targets for part in parts]
    sums = {
        name: sum(getattr(part, name) for part in parts)
        for name in ("rows_given", "rows", "full", "empty", "turn_end", "eos")
    }
    every = None if None in targets else tuple(id for some in targets for id in some or ())
    why = next((part.why for part in parts if part.why), "")
    return dataclasses.replace(parts[0], **sums, targets=every, why=why)
