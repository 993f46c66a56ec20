"""The dropout of the policy that stays on in its training."""

from __future__ import annotations

from typing import NamedTuple

from trl_doctor.core.finding import Fix, Json, Place, Put, pointer
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.command_model import LOADING
from trl_doctor.facts.model.files import model_config

KEYS = ("attn_pdrop", "embd_pdrop", "resid_pdrop", "dropout", "attention_dropout", "hidden_dropout")
"""The probabilities in config.json that decoders use between their layers."""

OFF = "disable_dropout"
"""The argument that switches dropout off in modules, not where a model calls a function (OPT)."""


class Dropout(NamedTuple):
    """The keys of config.json with a probability above 0, where the first of them stands."""

    drops: dict[str, Json]
    place: Place
    fix: Fix | None

    @property
    def shown(self) -> str:
        """The keys and their values."""
        return ", ".join(f"{key} {value}" for key, value in self.drops.items())

    @property
    def remedy(self) -> str:
        """What loads the model without it."""
        return f"set {LOADING}: {{{', '.join(f'{key}: 0.0' for key in self.drops)}}}"


def dropout(facts: Facts) -> Dropout | None:
    """The dropout of the policy in its training; None if there is none."""
    config, loading = facts[model_config], facts.run.arguments.get(LOADING)
    stated = {**config.mapping(), **(loading if isinstance(loading, dict) else {})}
    drops = {key: stated[key] for key in KEYS if _above_zero(stated.get(key))}
    if facts.run.flag(OFF):
        drops = {key: value for key, value in drops.items() if key == "dropout"}
    if not drops:
        return None
    place = Place(config.path, f"/{next(iter(drops))}")
    return Dropout(drops, place, _fix(facts, loading, list(drops)))


def _above_zero(value: Json) -> bool:
    return isinstance(value, float) and value > 0


def _fix(facts: Facts, loading: Json, keys: list[str]) -> Fix | None:
    """Load the model without dropout, where the run's file has the options of loading, or none."""
    if facts.run.by_class or not isinstance(loading, dict | None):
        return None
    value: Json = {**(loading or {}), **dict.fromkeys(keys, 0.0)}
    edit = Put(facts.run.target.path, pointer(LOADING), value)
    return Fix("load the model without dropout", (edit,), safe=False)
