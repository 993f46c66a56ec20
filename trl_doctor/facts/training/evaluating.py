"""Whether a run evaluates, and when."""

from __future__ import annotations

import ast

from trl_doctor.core.finding import Json, Place
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.passed import Passed
from trl_doctor.facts.script.syntax.code import code
from trl_doctor.facts.script.trainer_methods import place_of
from trl_doctor.files.source.values import Deed

KEYS = ("eval_strategy", "evaluation_strategy")
"""The argument that says when, and its name in older releases."""

GIVEN = ("eval_dataset =", "evaluate =", "get_eval_dataloader =")
"""What a script that gives the rows to its trainer later sets."""


def strategy(value: Json) -> str:
    """When a run evaluates or saves: "no", "steps", "epoch" or "best".

    The value may also be a member of an enumeration (`IntervalStrategy.STEPS`), or false.
    """
    return "no" if value in (False, None) else str(value).lower().rpartition(".")[2]


def evaluates(value: Json) -> bool:
    """Whether the value of such an argument lets the trainer evaluate."""
    return strategy(value) in ("steps", "epoch")


def loads_best_of_steps(facts: Facts, *, planned: bool) -> None:
    """Nothing, for a run that loads the best of the checkpoints that it saves by steps.

    `planned` says whether its evaluations are. Raises `NotConcerned` for any other run, and
    `Unavailable` if the trainer is not known.
    """
    run = facts.run
    by_steps = strategy(run.arguments.get("save_strategy", "steps")) == "steps"
    if not (run.flag("load_best_model_at_end") and by_steps and planned):
        raise NotConcerned("the run loads no best model of some steps")
    if isinstance(run.trainer, Unavailable):
        raise run.trainer
    if run.trainer.name == "ppo":
        raise NotConcerned("PPO does not load a best model")


def sets_control(facts: Facts, name: str) -> bool:
    """Whether code of the script sets `control.NAME`, as callbacks do to save or to evaluate."""
    parsed = facts.get(code)
    return parsed is not None and any(
        isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and node.attr == name
        for node in parsed.nodes
    )


def asks_for_evaluation(facts: Facts, values: Passed) -> Place | None:
    """Where a script surely calls `trainer.evaluate()`, and catches no error of it.

    None for a class or a trainer that gets its rows in another way than from `eval_dataset`.
    """
    if values.derived or any(deed.name in GIVEN for deed in values.deeds):
        return None
    calls = (deed for deed in values.deeds if deed.name == "evaluate" and _is_bare(deed))
    return next((place_of(facts, call) for call in calls), None)


def _is_bare(call: Deed) -> bool:
    caught = call.result is not None and call.result.tried
    return not (call.arguments or call.keywords or call.rest or call.guards or caught)
