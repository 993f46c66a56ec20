"""Tries the script's own reward functions after the step: on right answers, and on every row."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import io
import itertools
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from .... import network
from ....answers.rewards import RewardTrial
from ....processing import tokenizer_in, tokenizer_of
from ....reward_functions.calls import Sheet, TookTooLong, called, within
from ....reward_functions.cut_numbers import cut_texts
from ....reward_functions.cut_solutions import cut_solutions
from ....reward_functions.exploits import exploits
from ....reward_functions.held_back import error_of
from ....reward_functions.opened_tags import opened_tag, rendered
from ....reward_functions.other_numbers import other_number
from ....reward_functions.release import release
from ....reward_functions.rows import (
    FORMS,
    GARBAGE,
    MADE,
    ROWS,
    Case,
    cases,
    cell_text,
    gold_column,
)
from ....reward_functions.source import takes
from ....reward_functions.trial import Trial, described, scored
from ....reward_functions.unpaid import unpaid
from ....reward_functions.whole_golds import paid_with_ends
from .call import SECONDS, SLOW, Called
from .reshaped import needs_own_shape
from .rewards import Rewards
from .room import goes_on, limit_of

BATCH, TOKENS = 8, 256
"""Completions of a call, and tokens of the longest one."""


class _Quiet:
    """A reporter without a receiver."""

    def doing(self, stage: str, unless: dict[str, Any]) -> None:
        """It begins a stage."""


def tried(trainer: Any, kind: type, rewards: Rewards, file: Path) -> Path | None:
    """The file, with what became of each, as JSON; None where nothing could be tried."""
    functions = list(rewards.called.values())
    try:
        sheet, rows = _sheet(trainer, kind)
    except Exception:  # no trainer with reward functions, or rows of another kind
        return None
    if not rows or not all("prompt" in row for row in rows):
        return None
    gold = _gold(rows[:ROWS], functions)
    opened = _opened(trainer, rows[0])
    trials = [
        _safely(function, trainer, sheet, rows, gold, opened, rewards) for function in functions
    ]
    answer = {
        "functions": {
            function.about["index"]: dataclasses.asdict(trial)
            for function, trial in zip(functions, trials)
            if trial is not None
        },
        "rows": len(rows),
        "gold": gold,
        "columns": [key for key in rows[0] if key != "prompt"],
        "passes": sheet.release.passes,
        "counts": sheet.release.counts,
        "none_is_nan": sheet.release.none_is_nan,
        "replaces_nan": sheet.release.replaces_nan,
    }
    file.write_text(json.dumps(answer), "utf-8")
    return file


def _sheet(trainer: Any, kind: type) -> tuple[Sheet, list[dict[str, Any]]]:
    rows = [dict(row) for row in itertools.islice(iter(trainer.train_dataset), 64)]
    processing_class = trainer.processing_class
    tokenizer = tokenizer_in(processing_class)

    @functools.cache  # the same few texts are said to all rows
    def tokenized(text: str) -> list[int]:
        return list(tokenizer(text, add_special_tokens=False)["input_ids"])

    def ids(text: str) -> list[int]:
        return list(tokenized(text))

    conversational = bool(rows) and isinstance(rows[0].get("prompt"), list)
    end = getattr(tokenizer, "eos_token_id", None)
    tools = [getattr(tool, "__name__", "") for tool in getattr(trainer, "tools", None) or ()]
    return Sheet(rows, True, release(kind), conversational, ids, end, tools), rows


def _gold(rows: list[dict[str, Any]], functions: Sequence[Called]) -> str | None:
    """The column with the right answers: one that a function reads, where one does."""
    read = {name for called in functions for name in takes(called.function, rows[0])}
    narrow = [{name: row[name] for name in row if name in read} for row in rows]
    return gold_column(narrow) or gold_column(rows)


def _opened(trainer: Any, row: dict[str, Any]) -> str:
    """The tag that a row's prompt ends with; "" where it has none, or it depends on the row."""
    if "chat_template_kwargs" in row:
        return ""
    more = getattr(trainer.args, "chat_template_kwargs", None) or {}
    return opened_tag(rendered(trainer.processing_class, row["prompt"], more))


def _safely(
    called: Called,
    trainer: Any,
    sheet: Sheet,
    rows: list[dict[str, Any]],
    gold: str | None,
    opened: str,
    rewards: Rewards,
) -> RewardTrial | None:
    """What became of it; None where it is slow, asks a server, or needs what the trainer has."""
    offered, asked = sheet.keywords(called.function, [Case(0, "", "")]), network.tried()
    if called.cost > SLOW or not called.names <= set(offered):
        return None

    @functools.wraps(called.function, updated=())
    def function(**keywords: Any) -> Any:
        if "trainer_state" in keywords:
            keywords["trainer_state"] = trainer.state
        taken = {name: keywords[name] for name in keywords if name in called.names}
        with cut_texts(keywords.get("completions", ())) as cuts:
            returned = called.function(**taken)
        rewards.reads(called.about, next(iter(cuts), None))
        return returned

    try:
        with within(SECONDS), contextlib.redirect_stdout(io.StringIO()):
            trial = _trial(called, function, sheet, rows, gold, opened)
            if trial.state == "raised" and _is_of_trial(called, trial):
                return None
            if trial.state == "returned" and trial.reads_gold and gold:
                found = _in_the_room(function, trainer, sheet, gold)
                trial = dataclasses.replace(trial, **found)
    except (TookTooLong, Exception):
        return None
    if asked != network.tried():
        return None
    late = trial.error is not None and trial.error.type == TookTooLong.__name__
    return trial if trial.state in ("returned", "raised") and not late else None


def _is_of_trial(called: Called, trial: RewardTrial) -> bool:
    """Whether it raised because of how it was tried: it asserts what completions of the run are."""
    asserts = trial.error is not None and trial.error.type == "AssertionError"
    return asserts or needs_own_shape(called.function, called.given, BATCH)


def _trial(
    called: Called,
    function: Callable[..., Any],
    sheet: Sheet,
    rows: list[dict[str, Any]],
    gold: str | None,
    opened: str,
) -> RewardTrial:
    about = described(called.function, called.about["name"], called.about["file"] or "",
                      called.about["line"] or 0, gold, sheet)  # fmt: skip
    first = rows[:ROWS]
    thinks = opened == "think"
    answers = [cell_text(row[gold]) for row in rows] if gold else []
    more = exploits(first, gold, thinks, answers) if gold else []
    long = (GARBAGE * TOKENS)[:TOKENS]
    trial = Trial("", sheet, cases(first, gold, long, thinks), gold, BATCH, more, opened)
    result = scored(function, sheet, trial, _Quiet(), about)
    if result.state != "returned":
        return result
    result = _on_each_row(function, sheet, rows, gold, result)
    if result.state == "returned" and result.reads_gold and gold:
        with contextlib.suppress(Exception):
            rows_tried, lost = unpaid(function, sheet, gold)
            result = dataclasses.replace(result, rows_tried=rows_tried, unpaid=lost)
        with contextlib.suppress(Exception):
            ends = paid_with_ends(function, sheet, gold)
            result = dataclasses.replace(result, paid_with_ends=ends)
    return result


def _in_the_room(
    function: Callable[..., Any], trainer: Any, sheet: Sheet, gold: str
) -> dict[str, Any]:
    """What becomes of right answers where the run's completions end."""
    found: dict[str, Any] = {}
    with contextlib.suppress(Exception):
        limit = limit_of(trainer)
        if limit is not None:
            decode = tokenizer_of(trainer).decode
            found["solutions"] = cut_solutions(function, sheet, gold, limit, decode)
        room = limit.tokens if limit is not None and goes_on(trainer) else None
        found["beside"] = other_number(function, sheet, gold, room)
    return found


def _on_each_row(
    function: Callable[..., Any],
    sheet: Sheet,
    rows: list[dict[str, Any]],
    gold: str | None,
    result: RewardTrial,
) -> RewardTrial:
    """The same, or what the function raises on a later row of the script's."""
    for start in range(0, len(rows), BATCH):
        numbers = range(start, min(start + BATCH, len(rows)))
        try:
            called(function, list(_of_rows(rows, numbers, gold)), sheet)
        except Exception:
            for number in numbers:
                try:
                    called(function, list(_of_rows(rows, [number], gold)), sheet)
                except Exception as alone:
                    on = (f"row {number + 1}",)
                    return dataclasses.replace(
                        result, state="raised", error=error_of(alone), on=on, values=(), exploits=()
                    )
    return result


def _of_rows(
    rows: list[dict[str, Any]], numbers: Sequence[int] | range, gold: str | None
) -> Iterator[Case]:
    for number in numbers:
        answer = cell_text(rows[number][gold]) if gold else ""
        yield Case(number, "", FORMS["boxed"].format(answer or MADE))
