"""The rewards of a GRPO or RLOO step: the run's own as far as they work, and one that differs."""

from __future__ import annotations

import importlib
import sys
from dataclasses import dataclass, field
from typing import Any

from ..alone import place as reward_place
from ..child import error_answer
from ..reward_functions.calls import Sheet, called, within
from ..reward_functions.release import release
from ..reward_functions.rows import Case
from .habits import Habits
from .rows import Rows

SECONDS, SHARE = 5.0, 0.1
"""That a reward function may take for two completions, and that share of the probe's limit."""

OVERLONG = "get_soft_overlong_punishment"
SCORER = 'AutoModelForSequenceClassification.from_pretrained(str(HERE / "reward"), num_labels=1)'


@dataclass(frozen=True)
class Chosen:
    """`functions` are source expressions, `imports` the lines that they need.

    `left_out` are the run's functions that cannot be used here, with the reason; `kept` the
    positions of those that are used among all that the run names.
    """

    functions: list[str] = field(default_factory=list)
    imports: list[str] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)
    kept: list[int] = field(default_factory=list)

    def weights(self, stated: Any) -> list[float]:
        """The run's weights of what is kept, and one for the reward that differs."""
        names = stated if isinstance(stated, list) else []
        return [names[at] if at < len(names) else 1.0 for at in self.kept] + [1.0]


def chosen(request: dict[str, Any], trainer: type, rows: Rows, habit: Habits) -> Chosen:
    """Try every reward of the run, in the order of TRL's script: the model, then the functions."""
    own = Chosen()
    if request["folders"]["reward"]:
        own.functions.append('str(HERE / "reward")' if habit.by_path else SCORER)
        own.kept.append(0)
    names = request["arguments"].get("reward_funcs") or []
    names = [names] if isinstance(names, str) else names
    for at, name in enumerate(names, start=len(own.kept)):
        why = _tried(str(name), request, trainer, rows)
        if why:
            own.left_out[str(name)] = why
            continue
        expression, line = _source(str(name), len(own.kept))
        own.functions.append(expression)
        own.imports.append(line)
        own.kept.append(at)
    own.functions.append("different")
    return own


def _source(name: str, number: int) -> tuple[str, str]:
    """The expression for a reward function, and the line that imports it."""
    module, _, function = name.rpartition(".")
    if name == OVERLONG:
        call = f"{OVERLONG}(max_completion_len=1280, soft_punish_cache=256)"
        return call, f"from trl.rewards import {OVERLONG}"
    if not module:
        return name, f"from trl.rewards import {name}"
    alias = f"reward_{number}"
    return alias, f"from {module} import {function} as {alias}"


def _tried(name: str, request: dict[str, Any], trainer: type, rows: Rows) -> str:
    """Why a reward function cannot be used; empty if it scores two completions."""
    module, _, attribute = name.rpartition(".")
    sys.path[:0] = [root for root in request["roots"] if root not in sys.path]
    # generated rows lack the run's columns: a function that needs one is left out of the step
    sheet = Sheet(
        rows.rows, True, release(trainer), rows.conversational, lambda text: list(text.encode())
    )
    limit = min(SECONDS, request["seconds"] * SHARE)
    try:
        with reward_place.guarded(reward_place.of_the_run(request)), within(limit):
            function = getattr(importlib.import_module(module or "trl.rewards"), attribute)
            if name == OVERLONG:
                function = function(max_completion_len=1280, soft_punish_cache=256)
            called(function, [Case(0, "gold", "42"), Case(0, "garbage", "no")], sheet)
    except BaseException as error:
        return f"{error_answer(error).type}: {str(error)[:200]}"
    return ""
