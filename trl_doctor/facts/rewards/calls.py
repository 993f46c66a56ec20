"""How the target's TRL calls reward functions: the keyword arguments that it always passes."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import chain

from msgspec import Struct

from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.library import sources
from trl_doctor.facts.library.classes import Damaged
from trl_doctor.facts.library.headers import methods_with

EVER = ("completions", "prompts")
"""Arguments that every release of TRL with reward functions passes."""

CALL = re.compile(r"\breward_func\(|\breward_kwargs\[")
"""What calls a reward function, and what adds an argument to such a call."""

MODULES = {"grpo": "trl.trainer.grpo_trainer", "rloo": "trl.trainer.rloo_trainer"}


class PassedNames(Struct, frozen=True):
    """The names that are always passed; `complete` says that they come from TRL's sources."""

    names: tuple[str, ...]
    complete: bool


def passed_names(facts: Facts) -> PassedNames:
    """The arguments that the run's trainer passes by name, without the columns of the data set."""
    trainer = facts.run.trainer
    if isinstance(trainer, Unavailable):
        raise trainer
    try:
        text = sources(facts.environment).text(MODULES.get(trainer.name, ""))
    except Damaged:
        text = None
    names = tuple(sorted({*EVER, *_keywords(text or "")}))
    return PassedNames(names, len(names) > len(EVER))


def _keywords(text: str) -> Iterator[str]:
    """The keywords of the calls with `completions=`, and the keys that are set in `**kwargs`."""
    for node in chain.from_iterable(map(ast.walk, methods_with(text, CALL))):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "reward_func":
            names = [keyword.arg for keyword in node.keywords if keyword.arg]
            yield from names if "completions" in names else ()
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
            target = node.targets[0]
            key = target.slice.value if isinstance(target.slice, ast.Constant) else None
            name = getattr(target.value, "id", "")
            if name == "reward_kwargs" and isinstance(key, str) and node.col_offset <= 8:
                yield key
