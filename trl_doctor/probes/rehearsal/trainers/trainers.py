"""Builds the script's own trainer on few rows, and lets it take two steps, watched."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Sized
from pathlib import Path
from types import ModuleType
from typing import Any

from ...processing import given_processing, tokenizer_in
from .. import patching
from ..errors.failing import failing
from ..models.loading import Loading
from ..models.prompt_form import form_of
from ..models.tokenizers import Edits
from ..order import Order
from ..record import MOST_TRAINERS, Record, rank, world
from ..rows.data import Data
from ..rows.sources import what_was_read
from ..settings import parsers
from ..where import here
from ..writes import outputs
from . import batches, checkpoints, configs, evaluations, frozen, live, saving
from .asked import Asked
from .classes import by_name, released
from .earlier import RESUME, Trainings
from .from_config import made_of_config
from .mistakes import objects, row_order
from .mistakes.looks import LOOKS
from .mistakes.whole_metrics import completed
from .own_state import untouched
from .reward_calls.reshaped import fails_at_own_size
from .reward_calls.rewards import Rewards
from .reward_calls.trying import tried
from .rows_given import ROWS, rows_of, wrong_rows, wrong_texts
from .step import TOKENS, Step

MODELS = {
    "model": "policy", "policy": "policy", "ref_model": "reference", "ref_policy": "reference",
    "reward_model": "reward", "value_model": "value", "reward_funcs": "reward functions",
}  # fmt: skip
"""The arguments of trainers that are models, of all releases, and their roles."""
HEADS = ("reward", "value")
"""The roles of models that have a head of their own."""

NUMBER = "_trl_doctor_number"
"""The attribute with the number of a trainer, from 1 in the order in which they are built."""


class Trainers:
    """Patches of the classes that train."""

    def __init__(
        self, order: Order, record: Record, data: Data, edits: Edits, loading: Loading
    ) -> None:
        self.order, self.record, self.data, self.edits = order, record, data, edits
        self.kept, self.small, self.away = loading.kept, loading.small, loading.away
        self.rewards, self.earlier = Rewards(record), Trainings()
        self.depth = self.count = 0
        self.given: dict[int, int | None] = {}
        self.trained, self.form = False, form_of(None)
        self.asked = Asked(loading)

    def act(self, module: ModuleType) -> None:
        """Every trainer that the module defines."""
        for name, kind in list(vars(module).items()):
            if isinstance(kind, type) and name.endswith("Trainer") and hasattr(kind, "train"):
                patching.around(kind, "__init__", self._build)
                patching.around(kind, "train", self._train)
                patching.each(kind, ("push_to_hub", "init_hf_repo"), self._not_pushed)

    def _build(self, original: Any, trainer: Any, *args: Any, **more: Any) -> None:
        if self.depth:
            original(trainer, *args, **more)
            return
        self.depth += 1
        self.record.trainer = self.count = self.count + 1
        at = here()
        try:
            vars(trainer)[NUMBER] = self.count
            arguments = by_name(original, trainer, args, more)
            self._report(trainer, arguments, at)
            wrong = objects.of_arguments(arguments, whole=not self.data.short)
            known = (self.data.loaded, self.away.read, self.data.frames.read)
            read = what_was_read(*(([], [], []) if self.data.made else known))
            for mistake in (*wrong, *wrong_rows(read, arguments, self.data), *parsers.dropped()):
                self.record.mistake(mistake, at)
            self.rewards.trainer, evaluated = trainer, arguments.get(ROWS[1])
            arguments = {name: self._fitted(name, value, at) for name, value in arguments.items()}
            rows = arguments.get(ROWS[0])
            vars(trainer)[TOKENS] = "input_ids" in (getattr(rows, "column_names", None) or ())
            self.given[self.count] = len(rows) if isinstance(rows, Sized) else None
            row_order.note(trainer, rows, whole=not self.data.short)
            try:
                original(trainer, *arguments.pop("*", ()), **arguments)
            except BaseException as error:
                self._failed("construct", error, at)
                raise
            completed(trainer, evaluated)
            self.record.add("built", at=at)
            texts = wrong_texts(read, arguments, trainer, self.edits.tokens_for(trainer))
            for mistake in (*objects.of_roles(trainer, arguments), *texts):
                self.record.mistake(mistake, at)
            if self.count <= MOST_TRAINERS:
                for mistake in self.earlier.built(trainer, released(type(trainer)).__name__, rows):
                    self.record.mistake(mistake)
        finally:
            self.depth -= 1
            self.record.trainer = 0

    def _fitted(self, name: str, value: Any, at: Any) -> Any:
        """An argument of the trainer as the rehearsal gives it."""
        if name in ROWS:
            return self.data.cut(value)
        if name == "args" and value is not None:
            configs.again(value, self.order, self.record, at)
        if name == "reward_funcs":
            return self.rewards.watched(value)
        return value

    def _report(self, trainer: Any, arguments: dict[str, Any], at: Any) -> None:
        kind = released(type(trainer))
        roles = {
            role: self._source(role, arguments[argument])
            for argument, role in MODELS.items()
            if argument in arguments
        }
        tokenizer = given_processing(arguments)
        rows = arguments.get("train_dataset")
        self.record.add(
            "trainer",
            name=kind.__name__,
            module=kind.__module__,
            at=at,
            later=configs.set_later(arguments.get("args")),
            config=getattr(arguments.get("args"), configs.NUMBER, None),
            models=roles,
            parameters=sorted(inspect.signature(kind).parameters),
            adapter=live.adapter(arguments.get("peft_config"), arguments.get("model")),
            processes=world(),
            columns=getattr(rows, "column_names", None),
            conversational=live.conversational(rows),
            **rows_of(trainer, arguments, self.data, self._file("rows")),
            tokenizer=self._saved_tokenizer(tokenizer, roles.get("policy")),
            tokenizer_from=self._origin(getattr(tokenizer, "name_or_path", "")),
            made=self.kept.unseen(made_of_config, arguments, self.small, self._file("made")),
            tokenizer_object=id(tokenizer_in(tokenizer)),
            changes=live.changes(arguments.get("model"), self._origin),
            dtype=live.dtype(arguments.get("model")),
            frozen_in_vain=frozen.in_vain(arguments),
        )

    def _source(self, role: str, model: Any) -> Any:
        """What a model was loaded from.

        The folder that a policy was saved in counts as the one that it comes from. A model with a
        head may come from a model without one, which says nothing about it.
        """
        name = live.named(model)
        return name if role in HEADS else self._origin(name)

    def _train(self, original: Any, trainer: Any, *args: Any, **more: Any) -> Any:
        if self.depth:
            return original(trainer, *args, **more)
        self.depth += 1
        number = self.record.trainer = getattr(trainer, NUMBER, self.count)
        self.rewards.called.clear()
        checkpoint, resumes = more.get(RESUME, args[0] if args else None), RESUME in more
        if RESUME in inspect.signature(original).parameters:
            more.pop(RESUME, None)  # else its own error says so
        at = here()
        first, self.trained = not self.trained, True
        resume = checkpoints.resumed(checkpoint, self.order) if first else None
        self.record.add("training", at=at, resume=resume)
        for mistake in self.earlier.trains(
            trainer, resumes=resumes or bool(args), checkpoint=checkpoint
        ):
            self.record.mistake(mistake)
        step = Step(trainer, self.order, self.given.get(number), self.data)
        evaluated = functools.cache(functools.partial(evaluations.raised, trainer, self.data))
        saved = checkpoints.saved(trainer, self.order, evaluated)
        learned = self.asked.training(trainer)
        try:
            batches.begin(trainer, self.data, self.record, at)
            with self.kept.training(trainer, whole=step.whole), step.watched(), saved, learned:
                result = original(trainer, *(() if args else args), **more)
        except BaseException as error:
            self.record.add("step", done=False, **step.found())
            self._failed("train", error, at)
            raise
        finally:
            self.depth -= 1
            self.record.trainer = 0
        self.record.trainer = number
        try:
            with self.asked.examined(trainer), untouched(trainer):
                self._examine(trainer, step, evaluated)
        finally:
            self.record.trainer = 0
        return result

    def _examine(self, trainer: Any, step: Step, evaluated: evaluations.Raised) -> None:
        """Report on a trainer that has taken its steps."""
        self.form = form_of(trainer)
        few = self.record.trainer <= MOST_TRAINERS
        with self.rewards.unseen():
            found = step.found()
        self.record.add("step", done=True, **found, not_evaluated=evaluated() if few else None)
        with self.rewards.unseen():
            for mistake in (one for seen in LOOKS if few for one in seen(trainer)):
                self.record.mistake(mistake, here())
        if not few:
            return
        if (called := self.rewards.called) and not self.data.made and not rank():
            if not self.order.wide and fails_at_own_size(trainer, list(called.values())):
                self.record.add("larger fails", at=here())
            kind = released(type(trainer))
            file = tried(trainer, kind, self.rewards, self._file("rewards"))
            self.record.add("rewards tried", file=str(file) if file else None)
        with self.kept.aside():
            outputs.checkpoint(trainer, getattr(trainer.args, configs.OWN, {}))
            saving.tried(trainer, self.order, self.record)

    def _file(self, name: str) -> Path:
        """A file of the record about the trainer that is at work."""
        return self.order.records / f"{name}-{os.getpid()}-{self.record.trainer}.json"

    def _origin(self, names: Any) -> Any:
        """The small model that a trainer before it has made a model of, for that model's folder."""
        return self.small.origins.of(names) if isinstance(names, str) else names

    def _saved_tokenizer(self, tokenizer: Any, policy: Any) -> str | None:
        """The folder with its present state, where it is not as the policy's own files say."""
        tokenizer = tokenizer_in(tokenizer)
        loaded = str(getattr(tokenizer, "name_or_path", ""))
        if not self.edits.made and self._origin(loaded) == loaded and policy in (None, loaded):
            return None
        folder = self.order.records / f"tokenizer-{os.getpid()}-{self.record.trainer}"
        return live.saved_tokenizer(tokenizer, folder)

    def _failed(self, stage: str, error: BaseException, at: Any) -> None:
        self.record.add("failed", stage=stage, **failing(error), at=at)

    def _not_pushed(self, original: Any, trainer: Any, *args: Any, **more: Any) -> None:
        name = getattr(trainer.args, "hub_model_id", None) or ""
        self.record.add("kept away", what="upload", name=str(name), at=here())
