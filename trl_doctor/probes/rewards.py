"""What the run's own reward functions say of completions from the gold answer down to garbage."""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from .child import told
from .reward_functions import place as reward_place
from .reward_functions.calls import Sheet, TookTooLong, called, misfit, within
from .reward_functions.release import handed_on, registry, release
from .reward_functions.rows import GARBAGE, LONGEST, Case, cases, gold_column, made, read

MOST_AT_ONCE = 64


class Trial(NamedTuple):
    """What every function is tried on: `batch` completions a call, `seconds` for all calls.

    `sheet` is None where it is open whether completions are messages or texts.
    """

    sheet: Sheet | None
    cases: Sequence[Case]
    gold: str | None
    batch: int
    seconds: float


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Import the functions that `rewards` names as TRL's script does, and try each of them."""
    asked, named = request["rewards"], request["trainer"]
    calls = release(getattr(importlib.import_module(named["module"]), named["class"]))
    own = read(request["data"]["files"])
    conversational = request["data"]["conversational"]
    rows = own or made(bool(conversational))
    gold = gold_column(own) if own else None
    ids, text = _tokenizer(request)
    limit = min(asked["longest"], LONGEST)
    tried = cases(rows, gold, text(ids(GARBAGE * limit)[:limit]))
    if asked["only_prompts"]:
        kept = ("prompt", "image", "images")
        rows = [{key: row[key] for key in row if key in kept} for row in rows]
    sheet = Sheet(rows, bool(own), calls, bool(conversational), ids)
    batch = max(1, min(asked["completions"], MOST_AT_ONCE))
    trial = Trial(
        sheet if conversational is not None else None, tried, gold, batch, asked["seconds"]
    )
    with reward_place.place(list(dict.fromkeys(request["roots"]))):
        found = [_judged(name, named["name"], trial) for name in asked["names"]]
    return {
        "functions": found,
        "handed_on": handed_on(named["name"]),
        "rows": len(own),
        "gold": gold,
        "columns": [key for key in rows[0] if key != "prompt"],
        "passes": list(calls.passes),
        "counts": calls.counts,
        "none_is_nan": calls.none_is_nan,
        "mends_nan": calls.mends_nan,
    }


def _judged(name: str, trainer: str, trial: Trial) -> dict[str, Any]:
    """One function: imported, called, and what came back."""
    known = registry(trainer)
    short = "." not in name
    if short and (known is None or name not in known):
        return {"name": name, "state": "unknown name", "known": known and sorted(known)}
    try:
        with within(trial.seconds):
            function = known[name] if known and name in known else _imported(name)
    except TookTooLong:
        return {"name": name, "state": "took too long", "done": 0, "seconds": trial.seconds}
    except BaseException as error:
        state = "held back" if reward_place.held(error) else "not imported"
        return {"name": name, "state": state, "error": _told(error)}
    about = {"name": name, **_where(function), "reads_gold": _reads(function, trial.gold)}
    if trial.sheet is None:
        return {**about, "state": "not called"}
    keywords = trial.sheet.keywords(function, trial.cases[:1])
    return {**about, **misfit(function, keywords), **_scored(function, trial.sheet, trial)}


def _imported(name: str) -> Any:
    module, _, attribute = name.rpartition(".")
    return getattr(importlib.import_module(module), attribute)


def _scored(function: Callable[..., Any], sheet: Sheet, trial: Trial) -> dict[str, Any]:
    """The values by kind of completion, or what kept it from giving them."""
    tried, size = list(trial.cases), trial.batch
    calls = -(-len(tried) // size)
    filled = (tried * (size // len(tried) + 2))[: calls * size]
    values: list[float] = []
    none: list[int] = []
    counts: list[int | None] = []
    quickest = float("inf")
    refused = len(reward_place.reached)
    try:
        with within(trial.seconds):
            for start in range(0, len(filled), size):
                one = called(function, filled[start : start + size], sheet)
                none += [start + at for at in one.none]
                values += one.values
                counts.append(one.returned)
                quickest = min(quickest, one.seconds / size)
    except TookTooLong:
        return {"state": "took too long", "done": len(values), "seconds": trial.seconds}
    except BaseException as error:
        if len(reward_place.reached) > refused:
            return {"state": "held back", "reason": reward_place.reached[-1]}
        if reward_place.held(error):
            return {"state": "held back", "error": _told(error)}
        on = _guilty(function, sheet, trial)
        return {"state": "raised", "error": _told(error), "on": on}
    if len(reward_place.reached) > refused:
        return {"state": "held back", "reason": reward_place.reached[-1]}
    wrong = next((one for one in counts if one != size), size)
    return {
        "state": "returned",
        "expected": size,
        "returned": wrong,
        "values": [[case.row, case.kind, value] for case, value in zip(tried, values)],
        "none": sum(at < len(tried) for at in none),
        "seconds": quickest,
    }


def _guilty(function: Callable[..., Any], sheet: Sheet, trial: Trial) -> list[str]:
    """The kinds of completions on which it raises when called with one alone."""
    found = []
    try:
        with within(trial.seconds):
            for case in trial.cases:
                try:
                    called(function, [case], sheet)
                except TookTooLong:
                    raise
                except BaseException:
                    found.append(case.kind)
    except TookTooLong:
        return []
    return [] if len(found) == len(trial.cases) else list(dict.fromkeys(found))


def _told(error: BaseException) -> dict[str, Any]:
    """The error, with the module that it lacks, and without the probe's own calls."""
    frames = told(error)["frames"]
    own = __file__.rpartition("/")[0]
    return {
        **told(error),
        "frames": [frame for frame in frames if not frame[0].startswith((own, "<frozen"))],
        "lacks": getattr(error, "name", None) if isinstance(error, ImportError) else None,
        "import": isinstance(error, ImportError),
    }


def _bare(function: Any) -> Any:
    """The code behind a partial, a decorator or an object that can be called."""
    while isinstance(function, functools.partial):
        function = function.func
    function = inspect.unwrap(function) if callable(function) else function
    return function if hasattr(function, "__code__") else vars(type(function)).get("__call__")


def _where(function: Any) -> dict[str, Any]:
    code = getattr(_bare(function), "__code__", None)
    if code is None:
        return {"file": "", "line": 0}
    return {"file": code.co_filename, "line": code.co_firstlineno}


def _reads(function: Any, gold: str | None) -> bool:
    """Whether it names the column of the gold answer: as a parameter, or as a key."""
    code = getattr(_bare(function), "__code__", None)
    return code is not None and bool(gold in (*code.co_varnames, *code.co_consts))


def _tokenizer(
    request: dict[str, Any],
) -> tuple[Callable[[str], list[int]], Callable[[list[int]], str]]:
    """The run's own, or bytes where it has none that loads."""
    folders, trusted = request["folders"], bool(request["trust_remote_code"])
    folder = folders.get("tokenizer") or folders.get("policy")
    try:
        from transformers import AutoTokenizer

        tokens = AutoTokenizer.from_pretrained(folder, trust_remote_code=trusted)
    except Exception:
        return lambda text: list(text.encode()), lambda ids: bytes(ids).decode("utf-8", "ignore")
    return (
        lambda text: tokens(text, add_special_tokens=False)["input_ids"],
        lambda ids: str(tokens.decode(ids)),
    )
