"""Cells of the run's own rows that no trainer of TRL can read: null, or of another type."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct
from packaging.version import Version

from trl_doctor.core.finding import Json
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.rows.own import many_rows, own_rows
from trl_doctor.facts.run_trainer import known_trainer, trl_of
from trl_doctor.probes.layout.needed_columns import COLUMNS, TEXT, tokens
from trl_doctor.probes.reading import columns

PAIRS = {"orpo": "dpo", "cpo": "dpo"}
"""Trainers that read the columns of another one."""

MORE = {"dpo": ("prompt",), "kto": ("prompt",), "reward": ("margin",)}
"""Columns that a trainer reads too, where they are there."""

MESSAGES = ("messages", "conversations", "prompt", "completion", "chosen", "rejected")
"""Columns that may be lists of messages."""

MESSAGES_FIRST = Version("0.15.2")
"""After this release SFT looks for messages and prompts before `dataset_text_field`."""

NUMBERS_REFUSED = Version("0.24.0")
"""Up to this release KTO takes the labels 0 and 1 for no labels at all."""


class OddCell(Struct, frozen=True):
    """The first odd cell of a column: its row, counted from 1, and what it holds.

    `kind` is the column's own name, or "text" where the run names it as `dataset_text_field`.
    """

    row: int
    column: str
    holds: str
    kind: str


def odd_cells(facts: Facts) -> list[OddCell]:
    """The first odd cell of each column that the trainer reads. Raises `Unavailable`."""
    groups = _groups(facts, columns(facts[own_rows]))
    trl = trl_of(facts)
    field = facts.run.arguments.get("dataset_text_field")
    texts = {field: "text"} if (field,) in groups and not _goes_first(facts, field) else {}
    return list(_first(many_rows(facts), groups, trl is not None and trl > NUMBERS_REFUSED, texts))


def _goes_first(facts: Facts, field: Json) -> bool:
    """Whether SFT reads the column `dataset_text_field` as messages, or as part of a pair."""
    trl = trl_of(facts)
    if known_trainer(facts) != "sft" or (trl is not None and trl <= MESSAGES_FIRST):
        return False
    if field == "conversations":  # only messages of the form {"from": …, "value": …}
        cell = next((row.get(field) for row in facts[own_rows]), None)
        first = cell[0] if isinstance(cell, list) and cell else None
        return isinstance(first, dict) and {"from", "value"} <= first.keys()
    names = set(columns(facts[own_rows]))
    whole = (group for group in COLUMNS["sft"] if names.issuperset(group))
    return any(field in group for group in whole)


def _groups(facts: Facts, present: Iterable[str]) -> list[tuple[str, ...]]:
    """The groups of columns that the trainer can read, the likeliest first."""
    trainer, names = known_trainer(facts) or "", set(present)
    trainer = PAIRS.get(trainer, trainer)
    trl = trl_of(facts)
    if any(names.issuperset(group) for group in tokens(trainer, trl.release if trl else None)):
        return []
    field = facts.run.arguments.get("dataset_text_field")
    groups = COLUMNS.get(trainer, ()) if trainer != "ppo" else ()
    columns = [(field,) if group == TEXT and isinstance(field, str) else group for group in groups]
    more = [column for column in MORE.get(trainer, ()) if column in names]
    return [tuple(dict.fromkeys([*group, *more])) for group in columns if names.issuperset(group)]


def _first(
    rows: Iterable[dict[str, Json]],
    groups: list[tuple[str, ...]],
    numbers: bool,
    kinds: Mapping[Json, str],
) -> Iterator[OddCell]:
    """The first odd cell of each column; a row may have another group of columns than the first."""
    columns = list(groups[0]) if groups else []
    for number, row in enumerate(rows, 1):
        if not _has(row, groups[:1]) and _has(row, groups[1:]):
            continue
        for column in list(columns):
            kind = kinds.get(column, column)
            if odd := _odd(kind, row.get(column), numbers):
                columns.remove(column)
                yield OddCell(number, column, odd, kind)
        if not columns:
            return


def _has(row: dict[str, Json], groups: list[tuple[str, ...]]) -> bool:
    """Whether a row has all cells of a group."""
    return any(all(row.get(name) is not None for name in group) for group in groups)


def _odd(column: str, value: Json, numbers: bool) -> str:
    """What is odd about a cell, in words; empty if it can be read."""
    if value is None:
        return "null"
    if column == "label":
        well = isinstance(value, bool) or (numbers and value in (0, 1))
        return "" if well else f"{value!r}"[:40]
    if column == "margin":
        return "" if isinstance(value, int | float) else f"{value!r}"[:40]
    if column == "messages" and value == []:
        return "no message"
    if column == "messages" and not isinstance(value, list):
        return f"{value!r}"[:40]
    if isinstance(value, list):
        return _odd_list(value, messages=column in MESSAGES)
    return "" if isinstance(value, str) else f"{value!r}"[:40]


def _odd_list(values: list[Json], *, messages: bool) -> str:
    """What is odd about a cell that is a list."""
    if messages and all(isinstance(value, dict) for value in values):
        return ""
    return "a list of texts" if all(isinstance(value, str) for value in values) else "a list"
