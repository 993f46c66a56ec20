"""How many weights an optimizer step has to move, and who keeps float32 copies of them."""

from __future__ import annotations

from contextlib import suppress

from trl_doctor.core.finding import Json
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts, documents
from trl_doctor.facts.documents import Unreadable

HARDLY, LITTLE = 0.03, 0.12
"""Shares of the weights with a gradient that move: below the first an error, below the second a
warning."""

SHARDS = ("deepspeed", "fsdp", "accelerate_config")
PLAIN = ("NO", "MULTI_GPU", "MULTI_CPU", "single_gpu", "multi_gpu")
"""The names of accelerate for training without shards, and TRL's own files for it."""


def refuse_copies(facts: Facts) -> None:
    """Raises `Unavailable` if the optimizer may update float32 copies instead of the weights."""
    for key in SHARDS:
        said = facts.run.arguments.get(key)
        if said and not (key == "accelerate_config" and _plain(facts, said)):
            raise Unavailable(
                f"with {key} float32 copies of the weights may be kept, which was not examined"
            )


def _plain(facts: Facts, named: Json) -> bool:
    """Whether an accelerate_config asks for no shards."""
    if named in PLAIN or not isinstance(named, str):
        return named in PLAIN
    for root in facts.run.roots:
        with suppress(Unreadable):
            return documents.read(root / named).get("distributed_type") in PLAIN
    return False
