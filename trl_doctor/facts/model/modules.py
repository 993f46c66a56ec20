"""The modules of the policy, by the names of its tensors."""

from __future__ import annotations

from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.model.checkpoint import Weights, weights

HEADS = frozenset({"lm_head", "embed_out", "score", "classifier", "output"})
"""Modules that a model can have without a tensor of their own: tied, or newly initialised."""


def modules(facts: Facts) -> set[str]:
    """The full names of the modules that hold tensors.

    Raises `Unavailable` if they are not known.
    """
    stored: Weights = facts[weights]
    if not stored.complete:
        raise Unavailable("the names of all tensors are not known")
    if any(".experts." in name for name in stored.tensors):
        raise Unavailable("experts have other names in the checkpoint than in the model")
    split_names = (name.split(".") for name in stored.tensors)
    return {".".join(names[:end]) for names in split_names for end in range(1, len(names))}


def is_module(name: str, known: set[str]) -> bool:
    """Whether PEFT finds a name of a list: as the full name of a module, or after a dot."""
    if name.rpartition(".")[2] in HEADS:
        return True
    bare = name.removeprefix("model.")
    return any(module == bare or module.endswith(f".{bare}") for module in known)
