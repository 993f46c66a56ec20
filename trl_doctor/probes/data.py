"""What the real `load_dataset` and the trainer's own preparation make of the run's rows."""

from __future__ import annotations

import time
from typing import Any

from .answers.data import DataAnswer, GoldLengths
from .child import error_answer
from .data_rows.loading import Loaded, loaded, named
from .data_rows.preparing import Prepared, prepare
from .data_rows.prompts import tokenizer_of
from .layout.habits import habits
from .layout.needed_columns import COLUMNS, lacking
from .layout.rows import is_conversation
from .refusal import Refused
from .reward_functions.rows import cell_text, gold_column

GENERATE = ("grpo", "rloo")
"""Trainers whose completions are rewarded."""

ANSWERS = 256
"""Rows whose right answers are measured."""

SHARE = 0.2
"""Of the time after which a probe is killed, what the preparation may take."""


def answer(request: dict[str, Any]) -> DataAnswer:
    """Load, count and prepare. Raises `Refused` if the data are not here."""
    if not request["trainer"]:
        raise Refused("the trainer is not known: use --trainer, for example --trainer grpo")
    try:
        data = loaded(request)
        columns = tuple(data.rows.column_names)
        first = data.rows[0] if len(data.rows) else {}
    except Refused:
        raise
    except Exception as error:
        source, split = named(request)
        return DataAnswer(source, split, error_answer(error))
    trainer, text = request["trainer"]["name"], request["arguments"].get("dataset_text_field")
    lacks = lacking(columns, trainer, text) if trainer in COLUMNS else ""
    conversational = is_conversation(first)
    start, result, not_prepared = time.monotonic(), Prepared(), ""
    if not lacks and first and trainer in COLUMNS and trainer != "ppo":
        try:
            result = prepare(request, data.rows, conversational, SHARE * request["seconds"])
        except Refused as reason:
            not_prepared = str(reason)
    return DataAnswer(
        source=data.source,
        split=data.split,
        rows=len(data.rows) if data.whole else None,
        tests=data.tests,
        columns=columns,
        nulls=_nulls(data),
        lacks=lacks,
        conversational=conversational,
        prepared=result.rows,
        not_prepared=not_prepared,
        seconds=round(time.monotonic() - start, 3),
        fault=result.fault,
        labels=result.labels,
        own_tokenizer=bool(request["folders"]["tokenizer"] or request["folders"]["policy"]),
        pad=result.pad,
        script_pads=habits(request["trainer"]["name"]).pad,
        gold=_gold(request, data) if trainer in GENERATE and result.rows else None,
    )


def _gold(request: dict[str, Any], data: Loaded) -> GoldLengths | None:
    """The lengths of the right answers of the first rows, by the run's own tokenizer."""
    rows = [dict(row) for row in data.rows.select(range(min(len(data.rows), ANSWERS)))]
    column = gold_column(rows)
    if column is None:
        return None
    texts = [cell_text(row[column]) for row in rows]
    ids = tokenizer_of(request)(texts, add_special_tokens=False)["input_ids"]
    return GoldLengths(column, tuple(map(len, ids)))


def _nulls(data: Loaded) -> dict[str, tuple[int, int]]:
    """By column, how many cells are null, and the first row of them."""
    columns = {}
    for name in data.rows.column_names:
        column = data.rows.data.column(name)
        if column.null_count:
            cells = column.is_null().to_pylist()
            columns[name] = (column.null_count, cells.index(True) + 1)
    return columns
