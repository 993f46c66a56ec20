"""What the run's own reward functions say of completions from the gold answer down to garbage."""

from __future__ import annotations

import dataclasses
import importlib
import linecache
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from .alone import place as reward_place
from .answers.rewards import RewardError, RewardsAnswer, RewardTrial
from .reward_functions.calls import Sheet
from .reward_functions.exploits import exploits
from .reward_functions.opened_tags import opened_tag
from .reward_functions.release import passed_variable, release
from .reward_functions.rows import (
    GARBAGE,
    LONGEST,
    Case,
    cases,
    gold_column,
    made,
    own_rows,
    with_null,
)
from .reward_functions.script_parts import importable
from .reward_functions.supervised import Frame, each_done
from .reward_functions.trial import Trial, judged, unreported

MOST_AT_ONCE = 64


def answer(request: dict[str, Any]) -> RewardsAnswer:
    """Import the functions that `rewards` names as TRL's script does, and try each of them."""
    begun = time.monotonic()
    reward_request, trainer = request["rewards"], request["trainer"]
    calls = release(getattr(importlib.import_module(trainer["module"]), trainer["class"]))
    own = own_rows(request["data"])
    conversational = request["data"]["conversational"]
    rows = own or made(bool(conversational))
    gold = gold_column(own) if own else None
    ids, text, end = _tokenizer(request)
    limit = min(reward_request["longest"], LONGEST)
    long = text(ids(GARBAGE * limit)[:limit])
    thinks = reward_request.get("opens_think", False)
    tried = cases(rows, gold, long, thinks)
    columns = [key for key in rows[0] if key != "prompt"]
    for kind, row in with_null(request["data"]["files"], columns) if own else ():
        tried.append(Case(len(rows), kind, GARBAGE))
        rows = [*rows, {key: row.get(key) for key in rows[0]}]
    if reward_request["only_prompts"]:
        prompt_columns = ("prompt", "image", "images")
        rows = [{key: row[key] for key in row if key in prompt_columns} for row in rows]
    sheet = Sheet(rows, bool(own), calls, bool(conversational), ids, end)
    batch = max(1, min(reward_request["completions"], MOST_AT_ONCE))
    more = exploits(own, gold, thinks) if gold else []
    calls_ = sheet if conversational is not None else None
    tag = "think" if thinks and conversational else opened_tag(str(rows[0]["prompt"]))
    trial = Trial(trainer["name"], calls_, tried, gold, batch, more, tag)
    names, rest = reward_request["names"], reward_request["at_most"] - (time.monotonic() - begun)
    roots = list(dict.fromkeys(request["roots"]))
    with reward_place.place(roots), importable(reward_request.get("script"), roots):
        answers = each_done(lambda at, report: judged(names[at], trial, report), len(names), rest)
    return RewardsAnswer(
        functions=tuple(_trial(trial, name, roots) for trial, name in zip(answers, names)),
        trainer_gets=passed_variable(trainer["name"]),
        rows=len(own),
        gold=gold,
        columns=tuple(key for key in rows[0] if key != "prompt"),
        passes=tuple(calls.passes),
        counts=calls.counts,
        none_is_nan=calls.none_is_nan,
        replaces_nan=calls.replaces_nan,
    )


def _trial(report: dict[str, Any], name: str, roots: Sequence[str]) -> RewardTrial:
    """What was found of a function, with where it was in the user's own code, `at`."""
    frames: list[Frame] = report.pop("frames", [])
    error = report.pop("error", None)
    # where its process ended before it reported anything, there is only a status
    reported = report if "name" in report else {**unreported(name), **report}
    trial = RewardTrial(**reported, error=RewardError(**error) if error else None)
    if trial.status is not None and trial.state == "took too long":
        return dataclasses.replace(trial, state="ended the process")
    at = next((frame for frame in frames if _own(frame[0], trial.file, roots)), None)
    if at is None:
        return trial
    file, line, function = at
    source = linecache.getline(file, line).strip()
    return dataclasses.replace(trial, at=(file, line, function, source))


def _own(file: str, defined: str, roots: Sequence[str]) -> bool:
    """Whether a file is the function's own, or another of the run's."""
    parts = Path(file).parts
    inside = any(Path(root) in Path(file).parents for root in roots)
    return file == defined or (inside and "site-packages" not in parts)


def _tokenizer(
    request: dict[str, Any],
) -> tuple[Callable[[str], list[int]], Callable[[list[int]], str], int | None]:
    """The run's own, or bytes if it has none that loads; its end of a text."""
    folders, trusted = request["folders"], bool(request["trust_remote_code"])
    folder = folders.get("tokenizer") or folders.get("policy")
    try:
        from transformers import AutoTokenizer

        tokens = AutoTokenizer.from_pretrained(folder, trust_remote_code=trusted)
    except Exception:
        return (
            lambda text: list(text.encode()),
            lambda ids: bytes(ids).decode("utf-8", "ignore"),
            None,
        )
    return (
        lambda text: tokens(text, add_special_tokens=False)["input_ids"],
        lambda ids: str(tokens.decode(ids)),
        tokens.eos_token_id,
    )
