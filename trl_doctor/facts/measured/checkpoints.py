"""The probe's results for each checkpoint that it loaded."""

from collections.abc import Iterator, Sequence

from trl_doctor.core.unavailable import Unavailable, several
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.load import loaded_model
from trl_doctor.facts.model.heads import HEADS
from trl_doctor.facts.run import Role
from trl_doctor.files.folder import Folder
from trl_doctor.probes.answers.load import LoadedCheckpoint

ROLES: tuple[Role, ...] = ("policy", "reference", "reward", "value")
SCORED = frozenset({"grpo", "rloo", "ppo"})
"""Trainers that have separate rules about the head of their reward and value models."""

MADE_ANEW = frozenset({"reward", "prm"})
"""Trainers that give the policy a new head, and train it."""

OF_ENCODERS = ("pooler.dense", "classifier.dense", "pre_classifier")
"""Layers in front of the head that an encoder has for classes only: they are new with it."""


def checkpoints(facts: Facts) -> Iterator[tuple[Role, Folder, LoadedCheckpoint]]:
    """The role, the folder and the loaded checkpoint of each model that the run names.

    Raises `Unavailable` after them if one could not be loaded.
    """
    reasons, yielded = list[str](), set[tuple[Folder, str]]()
    for role in ROLES:
        model = facts.run.models.get(role)
        if model is None or isinstance(model.folder, Unavailable):
            continue
        try:
            checkpoint = loaded_model(facts, role)
        except Unavailable as reason:
            reasons.append(str(reason))
            continue
        if (model.folder, checkpoint.class_name) not in yielded:
            yielded.add((model.folder, checkpoint.class_name))
            yield role, model.folder, checkpoint
    if reasons:
        raise several(reasons)


def without_heads(facts: Facts, role: Role, names: Sequence[str]) -> list[str]:
    """The names, without scoring heads that are new on purpose or that other rules report."""
    trainer = facts.run.trainer
    name = None if isinstance(trainer, Unavailable) else trainer.name
    scores = role in ("reward", "value") and name in SCORED
    if not scores and name not in MADE_ANEW:
        return list(names)
    new: tuple[str, ...] = (*HEADS, "score.bias", "classifier.bias", "classifier.out_proj.bias")
    if not scores:
        new += tuple(f"{layer}.{part}" for layer in OF_ENCODERS for part in ("weight", "bias"))
    return [name_ for name_ in names if not name_.endswith(new)]


def first_names(names: Sequence[str], count: int) -> str:
    """The first names, and the number of the others."""
    shown = ", ".join(names[:4])
    return f"{shown} and {count - 4} more" if count > 4 else shown
