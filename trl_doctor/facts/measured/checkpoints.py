"""What the probe that loads the files says: of each checkpoint, and in the rules' examples."""

from collections.abc import Iterator, Sequence

from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.heads import HEADS
from trl_doctor.facts.measured.load import loaded_model
from trl_doctor.facts.run import Role
from trl_doctor.files.folder import Folder
from trl_doctor.probes.answers.load import LoadedCheckpoint

ROLES: tuple[Role, ...] = ("policy", "reference", "reward", "value")
SCORED = frozenset({"grpo", "rloo", "ppo"})
"""Trainers whose reward and value models have rules of their own about the head."""

MADE_ANEW = frozenset({"reward", "prm"})
"""Trainers that give the policy a new head, and train it."""


def checkpoints(facts: Facts) -> Iterator[tuple[Role, Folder, LoadedCheckpoint]]:
    """Role, folder and what was found of each model that the run names.

    Raises `Unavailable` after them where one could not be loaded.
    """
    open_, seen = list[str](), set[tuple[Folder, str]]()
    for role in ROLES:
        model = facts.run.models.get(role)
        if model is None or isinstance(model.folder, Unavailable):
            continue
        try:
            found = loaded_model(facts, role)
        except Unavailable as reason:
            open_.append(str(reason))
            continue
        if (model.folder, found.class_name) not in seen:
            seen.add((model.folder, found.class_name))
            yield role, model.folder, found
    if open_:
        raise Unavailable("; ".join(dict.fromkeys(open_)))


def without_heads(facts: Facts, role: Role, names: Sequence[str]) -> list[str]:
    """The names without those of a scoring head that is new by intent or told of elsewhere."""
    trainer = facts.run.trainer
    name = None if isinstance(trainer, Unavailable) else trainer.name
    scores = role in ("reward", "value") and name in SCORED
    if not scores and name not in MADE_ANEW:
        return list(names)
    return [one for one in names if not one.endswith((*HEADS, "score.bias", "classifier.bias"))]


def few(names: Sequence[str], count: int) -> str:
    """The first names, and how many more there are."""
    shown = ", ".join(names[:4])
    return f"{shown} and {count - 4} more" if count > 4 else shown
