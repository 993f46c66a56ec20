"""What a training of the script has to do with the trainings before it."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...members import word
from ...named_objects import nodes_of
from ..record import Mistake
from ..where import here, own_files
from . import configs
from .classes import released

ALIGNS = ("DPO", "KTO", "GRPO", "RLOO", "PPO", "OnlineDPO", "XPO", "NashMD")
"""Trainers that go on with a model which SFT has trained."""

SAME_MODEL, FROM_BASE, SAME_FOLDER = "same model", "from base", "same folder"
NO_STEP = "resumes at its end"
UNTRAINED_REWARD = "reward from base"
REFERENCE = "reference from base"
RESUME = "resume_from_checkpoint"
MORE_WEIGHTS, OTHER_WEIGHTS = "resumes with more weights", "resumes with other weights"

Sums = dict[str, tuple[float, float]]
"""Two sums of each weight, by its name."""


class Training:
    """A trainer of the script, and its weights before it trains."""

    def __init__(self, trainer: Any, kind: str, rows: Any) -> None:
        self.trainer, self.kind, self.done = trainer, kind, False
        self.sums, self.first = sums_of(trainer.model), _first(rows)
        self.trained = trained_of(trainer.model)
        own_arguments = configs.own_of(trainer.args)
        self.folder = own_arguments.get("output_dir", trainer.args.output_dir)
        chooses = getattr(trainer, "optimizer", None) is not None
        self.usual = not (chooses or getattr(trainer.args, "save_only_model", False))
        self.steps = int(own_arguments.get("max_steps", 0))
        self.epochs = float(own_arguments.get("num_train_epochs", 0))

    def moved(self) -> bool:
        """Whether it has changed weights of its model."""
        return self.done and sums_of(self.trainer.model) != self.sums


class Trainings:
    """The trainings of one script, in their order."""

    def __init__(self) -> None:
        self.all: list[Training] = []

    def built(self, trainer: Any, kind: str, rows: Any) -> Iterator[Mistake]:
        """What the new trainer has to do with those before it, a mistake each."""
        try:
            new = Training(trainer, kind, rows)
        except Exception:  # a trainer of another kind
            return
        for old in self.all:
            trainers = (old.kind, kind)
            if not old.moved():
                continue
            if _goes_on(old, new):
                yield Mistake(SAME_MODEL, trainers, here())
            elif old.kind == "SFTTrainer" and _begins_again(old, new):
                yield Mistake(FROM_BASE, trainers, here())
            elif old.kind == "SFTTrainer" and _refers_to_start(old, new):
                yield Mistake(REFERENCE, trainers, here())
            elif old.kind == "RewardTrainer" and any(
                _is_untrained(old, model) for model in _reward_models(trainer)
            ):
                yield Mistake(UNTRAINED_REWARD, trainers, here())
        self.all.append(new)

    def trains(self, trainer: Any, *, resumes: bool, checkpoint: Any = None) -> Iterator[Mistake]:
        """The same of the folder of a training that may resume.

        The same kind of training on the same rows may go on from a checkpoint that is named, and
        one that is longer. One of no more steps has none to take.
        """
        asked_for = configs.own_of(getattr(trainer, "args", None)).get(RESUME)
        own = released(type(trainer)) is not type(trainer)
        if asked_for and not (resumes or own or _resumes_elsewhere()):
            yield Mistake("checkpoint not passed", [word(asked_for)[-60:]], here())
        new = next((training for training in self.all if training.trainer is trainer), None)
        if new is None:
            return
        new.trained = trained_of(getattr(trainer, "model", None)) or new.trained
        yield from self._of_other_weights(new, checkpoint)
        named = isinstance(checkpoint, (str, Path))
        for old in self.all if resumes and checkpoint is not False else ():
            goes_on = named and (old.kind, old.first) == (new.kind, new.first)
            if not old.done or old is new or old.folder != new.folder or goes_on:
                continue
            if checkpoint and 0 < new.steps <= old.steps:
                yield Mistake(NO_STEP, (str(old.folder), str(new.steps)), here())
            elif not _is_longer(new, old):
                yield Mistake(SAME_FOLDER, (str(old.folder), new.kind), here())
        new.done = True

    def _of_other_weights(self, new: Training, checkpoint: Any) -> Iterator[Mistake]:
        """A checkpoint whose optimizer knows other weights than the new training has."""
        done = [old for old in self.all if old.done and _has_saved(old, new, checkpoint)]
        if not done or not (done[-1].usual and new.usual) or done[-1].trained == new.trained:
            return
        before, now = len(done[-1].trained), len(new.trained)
        what = OTHER_WEIGHTS if before == now else MORE_WEIGHTS
        yield Mistake(what, (str(before), str(now)), here())


def _resumes_elsewhere() -> bool:
    """Whether the script's code has a call of `train` that resumes, perhaps on a condition."""
    calls = (node for file in own_files() for node in nodes_of(file) if isinstance(node, ast.Call))
    return any(
        getattr(call.func, "attr", "") == "train" and any(w.arg == RESUME for w in call.keywords)
        for call in calls
    )


def _has_saved(old: Training, new: Training, checkpoint: Any) -> bool:
    """Whether a checkpoint to resume from is one of the old training, as its name says."""
    if isinstance(checkpoint, (str, Path)) and str(checkpoint):
        return Path(str(old.folder)) in Path(str(checkpoint)).parents
    return checkpoint is True and old.folder == new.folder


def _goes_on(old: Training, new: Training) -> bool:
    """Whether the same weights are trained by the same kind of trainer on the same rows."""
    same = old.kind == new.kind and old.first == new.first and old.trained == new.trained
    weights = {id(parameter) for parameter in old.trainer.model.parameters()}
    return same and any(id(parameter) in weights for parameter in new.trainer.model.parameters())


def _is_longer(new: Training, old: Training) -> bool:
    """Whether it takes more steps than the old one, or more often the same rows."""
    if new.steps > 0 or old.steps > 0:
        return 0 < old.steps < new.steps
    return bool(new.first == old.first and new.epochs > old.epochs > 0)


def _begins_again(old: Training, new: Training) -> bool:
    """Whether the new one begins with the very weights with which the old one began."""
    if not new.kind.startswith(ALIGNS) or old.trainer.model is new.trainer.model:
        return False
    adapted = [sums for name, sums in new.sums.items() if "lora_B" in name]
    return same_weights(old.sums, new.sums) and all(sums == (0.0, 0.0) for sums in adapted)


def _refers_to_start(old: Training, new: Training) -> bool:
    """Whether the reference has the very weights with which SFT began, and the policy others."""
    reference = getattr(new.trainer, "ref_model", None)
    if not new.kind.startswith(ALIGNS) or reference is None:
        return False
    moved = any(old.sums[name] != sums for name, sums in new.sums.items() if name in old.sums)
    return moved and _is_untrained(old, reference)


def _reward_models(trainer: Any) -> list[Any]:
    """The models whose scores are the rewards of a trainer."""
    rewards = getattr(trainer, "reward_funcs", None) or [getattr(trainer, "reward_model", None)]
    rewards = rewards if isinstance(rewards, (list, tuple)) else [rewards]
    return [model for model in rewards if hasattr(model, "named_parameters")]


def _is_untrained(old: Training, model: Any) -> bool:
    """Whether a model has the very weights, its head too, with which the old training began."""
    return same_weights(old.sums, sums_of(model))


def trained_of(model: Any) -> set[str]:
    """The names of a model's weights that are trained."""
    named = getattr(model, "named_parameters", tuple)
    return {name for name, weight in named() if weight.requires_grad}


def same_weights(sums: Sums, others: Sums) -> bool:
    """Whether weights are equal as far as both have them under one name, of three at least."""
    both = [name for name in sums if name in others]
    return len(both) > 2 and all(sums[name] == others[name] for name in both)


def sums_of(model: Any) -> Sums:
    """Two sums of each weight, under the name that it has without an adapter."""
    return {
        name.replace("base_model.model.", "").replace(".base_layer", ""): (
            float(weight.detach().float().sum()),
            float(weight.detach().float().abs().sum()),
        )
        for name, weight in model.named_parameters()
        if "lora_A" not in name
    }


def _first(rows: Any) -> Any:
    try:
        return len(rows), [dict(row) for row in itertools.islice(iter(rows), 2)]
    except Exception:
        return None
