"""The metrics that an evaluation of the run's trainer can log, read from TRL's sources."""

from __future__ import annotations

import ast
import re

from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.library import sources
from trl_doctor.facts.library.classes import Damaged

ALWAYS = frozenset({"loss", "runtime", "samples_per_second", "steps_per_second", "epoch"})
"""The metrics that every trainer of transformers logs for an evaluation."""

SFT = frozenset({"mean_token_accuracy", "entropy", "num_tokens", "aux_loss"})
"""The metrics that SFT adds, for use where its sources are not installed."""

SHORTEST = 4
"""The least number of letters of a text that can be part of a metric's name."""

COMPUTED, ACCURACY = "compute_accuracy", "accuracy"
"""A function of TRL with which older releases of RewardTrainer compute a metric, and the metric."""


def logged(facts: Facts) -> frozenset[str]:
    """The names, and parts of names, of metrics. Raises `Unavailable`."""
    trainer = facts.run.trainer
    if isinstance(trainer, Unavailable):
        raise trainer
    names = _log_keys(facts, trainer.name)
    if names is None and trainer.name == "sft":
        return ALWAYS | SFT
    if names is None:
        raise Unavailable("what this trainer logs is not known: its sources are not here")
    return ALWAYS | names


def _log_keys(facts: Facts, name: str) -> frozenset[str] | None:
    """The strings that the trainer's module uses as keys of its logs, and parts of such keys."""
    try:
        module = sources(facts.environment).module(f"trl.trainer.{name}_trainer")
    except (Damaged, Unavailable):
        return None
    if module is None:
        return None
    keys = (
        node.slice
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Subscript) and re.search("metric|log", ast.unparse(node.value))
    )
    texts = (text for key in keys for text in ast.walk(key) if isinstance(text, ast.Constant))
    used = {node.id for node in ast.walk(module.tree) if isinstance(node, ast.Name)}
    own = [ACCURACY] if COMPUTED in used else []
    return frozenset((*own, *(text.value for text in texts if isinstance(text.value, str))))


def is_logged(metric: str, names: frozenset[str]) -> bool:
    """Whether a metric, without `eval_`, is one of these or begins or ends with a part of one."""
    parts = [name for name in names if len(name) >= SHORTEST]
    return metric in names or any(
        metric.startswith(name) or metric.endswith(name) for name in parts
    )
