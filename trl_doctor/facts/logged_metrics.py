"""The metrics that an evaluation of the run's trainer can log, read in TRL's sources."""

from __future__ import annotations

import ast

from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.library import sources
from trl_doctor.facts.library.classes import Damaged

ALWAYS = frozenset({"loss", "runtime", "samples_per_second", "steps_per_second", "epoch"})
"""What every trainer of transformers logs of an evaluation."""

SFT = frozenset({"mean_token_accuracy", "entropy", "num_tokens", "aux_loss"})
"""What SFT logs besides, where its sources are not here."""

SHORTEST = 4
"""Letters of a text in a source that may be part of a metric's name."""


def logged(facts: Facts) -> frozenset[str]:
    """Names, and parts of names, of metrics. Raises `Unavailable`."""
    trainer = facts.run.trainer
    if isinstance(trainer, Unavailable):
        raise trainer
    found = _named(facts, trainer.name)
    if found is None and trainer.name == "sft":
        return ALWAYS | SFT
    if found is None:
        raise Unavailable("what this trainer logs is not known: its sources are not here")
    return ALWAYS | found


def _named(facts: Facts, name: str) -> frozenset[str] | None:
    """The texts that the trainer's module uses as keys of what it logs, and parts of such."""
    try:
        module = sources(facts.environment).module(f"trl.trainer.{name}_trainer")
    except (Damaged, Unavailable):
        return None
    if module is None:
        return None
    keys = (one.slice for one in ast.walk(module.tree) if isinstance(one, ast.Subscript))
    texts = (text for key in keys for text in ast.walk(key) if isinstance(text, ast.Constant))
    return frozenset(
        one.value for one in texts if isinstance(one.value, str) and len(one.value) >= SHORTEST
    )
