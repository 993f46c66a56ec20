"""Lets the real trainer prepare the run's rows, part by part, on a model that has no fault."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from ..answers.data import RowFault
from ..answers.step import Labels
from ..child import line, told
from ..layout import pictures
from ..layout.arguments import arguments
from ..layout.planning import OFFLINE, Laid
from ..layout.rows import Rows, generated_rows
from ..layout.ways import Way
from ..refusal import Refused
from ..small_model.healthy import control, with_tokenizer_of
from ..small_model.shrink import shrunken
from ..step import labels_of, prepared
from .prompts import renderer

FIRST, LARGER, MOST = 64, 4, 20_000
"""Rows of the first part, how much larger the next one is, and rows of a part at most."""

Prepare = Callable[[Any], Labels | None]
"""Prepares rows as the trainer does, and raises what that raises."""


@dataclasses.dataclass
class Prepared:
    """How many rows were prepared, what came out, and the first that was refused."""

    rows: int = 0
    labels: Labels | None = None
    fault: RowFault | None = None
    pad: int | None = None
    laid: Laid | None = None


def prepare(request: dict[str, Any], rows: Any, conversational: bool, limit: float) -> Prepared:
    """Prepare as many rows as the seconds of the limit allow, the first ones first.

    Raises `Refused` where the trainer does not prepare rows that are well either, and for images.
    """
    found = Prepared()
    sees = pictures.sees(request["folders"]["policy"])
    if sees and set(pictures.COLUMNS) & set(rows.column_names):
        raise Refused("the trainer prepares rows with images batch by batch, in the training step")
    if request["trainer"]["name"] in OFFLINE:
        preparation = _by_trainer(request, conversational, found)
    else:
        preparation = _by_template(request)
    start, size, parts = time.monotonic(), FIRST, list[Labels]()
    while found.rows < len(rows):
        part = rows.select(range(found.rows, min(found.rows + size, len(rows))))
        try:
            labels = preparation(part)
        except Exception as error:
            found.fault = _first(preparation, part, error, found.rows, rows)
            break
        parts += [labels] if labels else []
        found.rows += len(part)
        left, speed = limit - (time.monotonic() - start), found.rows / (time.monotonic() - start)
        size = int(min(size * LARGER, MOST, left * speed))
        if size < 1:
            break
    found.labels = _together(parts) if parts else None
    return found


def _by_trainer(request: dict[str, Any], conversational: bool, preparation: Prepared) -> Prepare:
    """The real trainer's own constructor. Raises `Refused` where it fails with generated rows."""
    if not (request["folders"]["tokenizer"] or request["folders"]["policy"]):
        request = {**request, **control(Path("control").absolute())}
    text = request["arguments"].get("dataset_text_field")
    healthy = generated_rows(request["trainer"]["name"], conversational, text)
    sees = pictures.sees(request["folders"]["policy"])  # its class makes no Llama
    way = Way(
        shrunken if sees else with_tokenizer_of,
        arguments,
        lambda *_: Rows(healthy, "made", conversational),
    )
    preparation.laid, repeat = prepared(request, way)
    try:
        trainer = repeat.build()
    except Exception as error:
        raise Refused(f"the trainer refuses rows that are well too: {line(error)}") from error
    preparation.pad = getattr(getattr(trainer, "processing_class", None), "pad_token_id", None)

    def prepare(rows: Any) -> Labels | None:
        repeat.Dataset = SimpleNamespace(from_list=lambda _: rows)
        assert preparation.laid
        return labels_of(repeat.build(), preparation.laid, request, len(rows))

    return prepare


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
    try:
        preparation(rows.select([len(rows) - 1]))
        every = False
    except Exception as last:
        every = every and type(last) is type(error)
    return RowFault(before + bad, told(error), every)


def _together(parts: list[Labels]) -> Labels:
    """The counts of all parts; the last targets of the first."""
    targets = [part.targets for part in parts]
    sums = {
        name: sum(getattr(part, name) for part in parts)
        for name in ("given", "rows", "full", "empty", "turn_end", "eos")
    }
    every = None if None in targets else tuple(id for some in targets for id in some or ())
    why = next((part.why for part in parts if part.why), "")
    return dataclasses.replace(parts[0], **sums, targets=every, why=why)
