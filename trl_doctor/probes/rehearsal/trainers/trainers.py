"""Builds the script's own trainer on few rows, and lets it take two steps, watched."""

from __future__ import annotations

import dataclasses
import inspect
import os
from collections.abc import Sized
from pathlib import Path
from types import ModuleType
from typing import Any

from ...watching import evaluation
from .. import patching
from ..errors.failing import failing
from ..models.kept import Kept
from ..models.tokenizers import Edits
from ..order import Order
from ..record import Record, of_the_job, rank, world
from ..rows import compared
from ..rows.data import Data
from ..where import here
from ..writes import outputs
from . import batches, configs, frozen, live, saving
from .earlier import Trainings
from .rewards import Rewards
from .step import Step
from .trying import tried

MODELS = {
    "model": "policy", "policy": "policy", "ref_model": "reference", "ref_policy": "reference",
    "reward_model": "reward", "value_model": "value", "reward_funcs": "reward functions",
}  # fmt: skip
"""The arguments of trainers that are models, of all releases, and their roles."""

EVALUATED = 2
"""Rows of an evaluation, for each process."""

ROWS = ("train_dataset", "eval_dataset")
RESUME = "resume_from_checkpoint"


class Trainers:
    """Patches of the classes that train."""

    def __init__(self, order: Order, record: Record, data: Data, edits: Edits, kept: Kept) -> None:
        self.order, self.record, self.data, self.edits = order, record, data, edits
        self.kept = kept
        self.rewards, self.earlier = Rewards(record), Trainings()
        self.depth = 0
        self.given: int | None = None
        self.trained = False

    def act(self, module: ModuleType) -> None:
        """Every trainer that the module defines."""
        for name, kind in list(vars(module).items()):
            if isinstance(kind, type) and name.endswith("Trainer") and hasattr(kind, "train"):
                patching.around(kind, "__init__", self._build)
                patching.around(kind, "train", self._train)
                patching.each(kind, ("push_to_hub", "init_hf_repo"), self._not_pushed)

    def _build(self, original: Any, trainer: Any, *given: Any, **more: Any) -> None:
        if self.depth:
            original(trainer, *given, **more)
            return
        self.depth += 1
        at = here()
        try:
            arguments = _by_name(original, trainer, given, more)
            self._tell(trainer, arguments, at)
            arguments = {name: self._fitted(name, value, at) for name, value in arguments.items()}
            rows = arguments.get(ROWS[0])
            self.given = len(rows) if isinstance(rows, Sized) else None
            extra = arguments.pop("*", ())
            try:
                original(trainer, *extra, **arguments)
            except BaseException as error:
                self._failed("construct", error, at)
                raise
            self.record.tell("built", at=at)
            for slip in self.earlier.built(trainer, _released(type(trainer)).__name__, rows):
                self.record.tell("trained before", **slip)
        finally:
            self.depth -= 1

    def _fitted(self, name: str, value: Any, at: Any) -> Any:
        """An argument of the trainer as the rehearsal gives it."""
        if name in ROWS:
            return self.data.cut(value)
        if name == "args" and value is not None:
            configs.again(value, self.order, self.record, at)
        if name == "reward_funcs":
            return self.rewards.watched(value)
        return value

    def _tell(self, trainer: Any, arguments: dict[str, Any], at: Any) -> None:
        kind = _released(type(trainer))
        roles = {
            role: live.named(arguments[argument])
            for argument, role in MODELS.items()
            if argument in arguments
        }
        tokenizer = arguments.get("processing_class", arguments.get("tokenizer"))
        rows = arguments.get("train_dataset")
        self.record.tell(
            "trainer",
            name=kind.__name__,
            module=kind.__module__,
            at=at,
            models=roles,
            parameters=sorted(inspect.signature(kind).parameters),
            adapter=live.adapter(arguments.get("peft_config"), arguments.get("model")),
            processes=world(),
            columns=getattr(rows, "column_names", None),
            conversational=live.conversational(rows),
            **self._rows_of(trainer, arguments),
            tokenizer=live.saved_tokenizer(tokenizer, self.order) if self.edits.made else None,
            changes=live.changes(arguments.get("model")),
            dtype=live.dtype(arguments.get("model")),
            frozen_in_vain=frozen.in_vain(arguments),
        )

    def _rows_of(self, trainer: Any, arguments: dict[str, Any]) -> dict[str, Any]:
        """What there is to train and to evaluate on."""
        rows, evaluation = (arguments.get(name) for name in ROWS)
        read = self._as_trl_reads(trainer, arguments)
        columns = getattr(evaluation, "column_names", None) or [] if read else []
        streamed = rows is not None and not isinstance(rows, Sized)
        return {
            "rows": len(rows) if isinstance(rows, Sized) and not self.data.short else None,
            "streamed": streamed,
            "endless": streamed and configs.without_end(arguments.get("args"), self.order),
            "evaluation": None if evaluation is None and not self._is_own(trainer) else columns,
            "sample": live.sample(rows, self.order) if read else None,
            "pads_right": self._pads_right(arguments),
            **self._compared(trainer, arguments),
        }

    def _compared(self, trainer: Any, arguments: dict[str, Any]) -> dict[str, Any]:
        """Whether what it evaluates on is new to it, and its schedule as long as the run."""
        rows, evaluation = (arguments.get(name) for name in ROWS)
        _, scheduler = (*(arguments.get("optimizers") or ()), None, None)[:2]
        given = getattr(arguments.get("args"), configs.OWN, None) or {}
        alone = of_the_job() == 1 and scheduler is not None
        return {
            "repeated": None if self.data.made else compared.repeated(rows, evaluation),
            "idle_steps": compared.idle_steps(scheduler, given, rows) if alone else None,
        }

    def _pads_right(self, arguments: dict[str, Any]) -> bool:
        """Whether the trainer's own collator pads the user's token ids after them."""
        collator = arguments.get("data_collator")
        own = collator is not None and type(collator).__name__ != "DataCollatorWithPadding"
        if self.data.made or own:
            return False
        tokenizer = arguments.get("processing_class", arguments.get("tokenizer"))
        return live.pads_right(tokenizer, arguments.get("train_dataset"))

    def _as_trl_reads(self, trainer: Any, arguments: dict[str, Any]) -> bool:
        """Whether the rows are the user's own, and TRL's own code prepares them."""
        prepared = getattr(arguments.get("args"), "dataset_kwargs", None) or {}
        left_alone = isinstance(prepared, dict) and prepared.get("skip_prepare_dataset")
        changed = self._is_own(trainer) or self.data.made or arguments.get("formatting_func")
        return not (changed or left_alone)

    def _is_own(self, trainer: Any) -> bool:
        """Whether the trainer is of a class of the user's."""
        return type(trainer) is not _released(type(trainer))

    def _train(self, original: Any, trainer: Any, *given: Any, **more: Any) -> Any:
        if self.depth:
            return original(trainer, *given, **more)
        self.depth += 1
        checkpoint, resumes = more.get(RESUME, given[0] if given else None), RESUME in more
        if RESUME in inspect.signature(original).parameters:
            more.pop(RESUME, None)  # else its own error says so
        at = here()
        self.record.tell("training", at=at, resume=self._resumed(checkpoint))
        for slip in self.earlier.trains(trainer, resumes=resumes or bool(given)):
            self.record.tell("trained before", **slip)
        step = Step(trainer, self.order, self.given)
        try:
            batches.drawn(trainer)
            with self.kept.training(trainer, whole=step.whole), step.watched():
                result = original(trainer, *(() if given else given), **more)
        except BaseException as error:
            self.record.tell("step", done=False, **step.found())
            self._failed("train", error, at)
            raise
        finally:
            self.depth -= 1
        self.record.tell("step", done=True, **step.found(), not_evaluated=self._evaluated(trainer))
        if (called := self.rewards.called) and not self.data.made and not rank():
            kind = _released(type(trainer))
            file = tried(trainer, kind, list(called.values()), self.order)
            self.record.tell("rewards tried", file=file)
        with self.kept.aside():
            outputs.checkpoint(trainer, getattr(trainer.args, configs.OWN, {}))
            saving.tried(trainer, self.order, self.record)
        return result

    def _resumed(self, checkpoint: Any) -> Any:
        """The checkpoint that the first training goes on with, where it is none of the script's."""
        first, self.trained = not self.trained, True
        if isinstance(checkpoint, (str, os.PathLike)) and os.fspath(checkpoint):
            path = Path(os.fspath(checkpoint)).absolute()
            own = path.is_dir() and not self.order.users(path).is_dir()
            return str(checkpoint) if first and not own else None
        return True if checkpoint is True and first else None

    def _evaluated(self, trainer: Any) -> dict[str, Any] | None:
        """What one evaluation raises, where the script's own rows are evaluated while it trains."""
        evaluates = getattr(trainer.args, configs.EVALUATES, False) and not self.data.made
        inner = getattr(type(trainer).train, "__module__", "").startswith("transformers.")
        if not evaluates or not inner or getattr(trainer, "eval_dataset", None) is None:
            return None
        trainer.eval_dataset = self.data.cut(trainer.eval_dataset, EVALUATED * world())
        error = evaluation.raised(trainer, best=True)
        return dataclasses.asdict(error) if error else None

    def _failed(self, stage: str, error: BaseException, at: Any) -> None:
        self.record.tell("failed", stage=stage, **failing(error), at=at)

    def _not_pushed(self, original: Any, trainer: Any, *given: Any, **more: Any) -> None:
        name = getattr(trainer.args, "hub_model_id", None) or ""
        self.record.tell("kept away", what="upload", name=str(name), at=here())


def _by_name(original: Any, trainer: Any, given: Any, more: dict[str, Any]) -> dict[str, Any]:
    """What a constructor is given, by name; as it is where the names do not fit."""
    try:
        bound = inspect.signature(original).bind(trainer, *given, **more)
    except TypeError:  # the constructor itself says what is wrong
        return {**({"*": given} if given else {}), **more}
    arguments = dict(bound.arguments)
    arguments.pop(next(iter(arguments)))
    for name, parameter in inspect.signature(original).parameters.items():
        if parameter.kind is parameter.VAR_KEYWORD:
            arguments.update(arguments.pop(name, {}))
        elif parameter.kind is parameter.VAR_POSITIONAL and name in arguments:
            return {**({"*": given} if given else {}), **more}
    return arguments


def _released(kind: type) -> type:
    """The library's class that a class of the user's extends."""
    for base in kind.__mro__:
        if base.__module__.startswith(("trl.", "transformers.")):
            return base
    return kind
