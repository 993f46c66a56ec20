"""Watches the steps of a trainer that somebody else has built: the facts that rules ask for."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator
from typing import Any

from ...answers.rows import Labels
from ...answers.segment import Segment
from ...loading.config import mapping
from ...processing import processing_of, tokenizer_of
from ...watching.accumulation import accumulated
from ...watching.completions import CompletionWatch
from ...watching.first_row import first_prompt, first_row
from ...watching.gradients import GradientWatch
from ...watching.labels import labels
from ...watching.log import logged_first
from ...watching.optimizers import steps
from ...watching.own_loss import of_own_loss
from ...watching.row_losses import row_losses
from ..kinds import names_of
from ..models.made import BYTES, is_made
from ..models.small import ends_of
from ..order import Order
from ..record import world
from ..rows.data import Data
from ..where import keywords_of, own_files
from . import full_batches
from .own_state import untouched
from .short_rows import shorten

OFFLINE = frozenset({"SFTTrainer", "DPOTrainer", "KTOTrainer", "RewardTrainer", "CPOTrainer",
                     "ORPOTrainer", "BCOTrainer"})  # fmt: skip
"""The classes whose trainers, and those derived from them, train on the rows themselves."""
STOPS = frozenset({"stop_strings", "stopping_criteria", "stop_sequences", "stop_token_ids"})
"""Arguments of functions that generate, with what ends an answer."""

TOKENS, FEW = "_trl_doctor_tokens", 8
"""The attribute of trainers whose rows came with token ids, and rows from which on they are blocks
that the script has filled, if all are as long as they may be."""

SHARDED = ("deepspeed", "fsdp")


class Step:
    """One training, in the form of the answer of the probe `step`."""

    def __init__(self, trainer: Any, order: Order, given: int | None, data: Data) -> None:
        self.trainer, self.order, self.given, self.short = trainer, order, given, data.short
        full_batches.count(trainer, data.count(getattr(trainer, "train_dataset", None)))
        self.name = type(trainer).__name__
        self.completions = CompletionWatch()
        self.labels: dict[str, Any] | None = None
        self.first_row: tuple[Segment, ...] = ()
        self.gradients: GradientWatch | None = None
        self.tiny = _tiny(trainer, order)
        self.ends = own_ends(trainer) or {key: self.tiny.get(key) for key in ("turn_end", "eos")}
        self.tokens = bool(getattr(trainer, TOKENS, False))

    @contextlib.contextmanager
    def watched(self) -> Iterator[None]:
        """While this lasts, its steps are watched."""
        with untouched(self.trainer):
            self.labels = self._labels()
            self.first_row = first_row(self.trainer) if learns_from_rows(self.trainer) else ()
        with contextlib.suppress(Exception):
            shorten(self.trainer)
        with self.completions.watched():
            model = getattr(self.trainer, "model", None)
            if not self.whole:
                yield
                return
            self.gradients = GradientWatch(model)
            with steps(self._before, self.gradients.after):
                yield

    @property
    def whole(self) -> bool:
        """Whether the model is here, and each of its weights as a whole."""
        sharded = any(getattr(self.trainer.args, name, None) for name in SHARDED)
        sharded = sharded or bool(getattr(self.trainer, "is_fsdp_enabled", False))
        sharded = sharded or bool(getattr(self.trainer, "is_deepspeed_enabled", False))
        return not sharded and getattr(self.trainer, "model", None) is not None

    def _before(self, optimizer: Any, *_: Any) -> None:
        """Measure the first step at the rate that a schedule of the script's own warms up to."""
        assert self.gradients is not None
        if self.gradients.found is None:
            for group in optimizer.param_groups:
                group["lr"] = max(group["lr"], group.get("initial_lr", 0))
        self.gradients.before(optimizer)

    def found(self) -> dict[str, Any]:
        """What the probe `step` would answer."""
        log = getattr(getattr(self.trainer, "state", None), "log_history", None) or []
        tokenizer = processing_of(self.trainer)
        logged, loss, wrong = logged_first(log)
        row = self.first_row or first_prompt(tokenizer, self.completions.prompts)
        whole = bool(self.gradients and log)
        return {
            "trainer": self.name,
            "tokenizer": type(tokenizer).__name__,
            "pad": getattr(tokenizer, "pad_token_id", None),
            "steps": getattr(getattr(self.trainer, "state", None), "global_step", None),
            "device": "cpu",
            "processes": world(),
            "loss": loss,
            "not_finite": wrong,
            "log": logged,
            "gradients": _as_json(self.gradients.found if self.gradients else None),
            "labels": self.labels,
            "completions": self._completions(tokenizer),
            "row_losses": _as_json(row_losses(self.trainer) if whole else None),
            "accumulated": _as_json(accumulated(self.trainer) if whole and world() == 1 else None),
            "first_row": [dataclasses.asdict(segment) for segment in row],
            **(of_own_loss(self.trainer) if whole and world() == 1 else {}),
        }

    def _labels(self) -> dict[str, Any] | None:
        rows: Any = getattr(self.trainer, "train_dataset", None)
        if not learns_from_rows(self.trainer) or not hasattr(rows, "__len__"):
            return None
        eos = getattr(processing_of(self.trainer), "eos_token_id", None)
        packed = bool(getattr(self.trainer.args, "packing", False))
        try:
            count = len(rows) if packed or self.given is None else self.given
            counted = labels(self.trainer, count, self.ends["turn_end"], eos)
            least = 1 if self.short else FEW
            packed = packed or (self.tokens and counted.full == counted.rows >= least)
        except Exception as error:  # the step itself says whether it is the run's fault
            why = f"{type(error).__name__}: {str(error)[:200]}"
            counted = Labels(len(rows), len(rows), None, None, 0, why=why)
        return dataclasses.asdict(
            dataclasses.replace(
                counted,
                turn_end_id=self.ends["turn_end"],
                eos_id=eos,
                packed=packed,
                stops=not STOPS.isdisjoint(keywords_of(own_files())),
            )
        )

    def _completions(self, tokenizer: Any) -> dict[str, Any] | None:
        args = self.trainer.args
        limit = getattr(args, "max_completion_length", getattr(args, "response_length", 0))
        eos = getattr(tokenizer, "eos_token_id", None)
        ends = sorted({value for value in (*self.ends.values(), eos) if value is not None})
        try:
            preferred = self.tiny.get("preferred")
            found = self.completions.found(preferred, ends, limit or 0, self.trainer)
            if found is not None and is_made(tokenizer):
                found = dataclasses.replace(found, longest_prompt=found.longest_prompt // BYTES)
            return _as_json(found)
        except Exception:  # a trainer of another shape
            return None


def learns_from_rows(trainer: Any) -> bool:
    """Whether a trainer, or a class that it derives from, trains on the rows themselves."""
    return not OFFLINE.isdisjoint(names_of(trainer))


def own_ends(trainer: Any) -> dict[str, Any] | None:
    """Those of the trainer's own tokenizer, which may have another template than its folder."""
    tokenizer = tokenizer_of(trainer)
    return ends_of(tokenizer) if getattr(tokenizer, "chat_template", None) else None


def _as_json(counted: Any) -> dict[str, Any] | None:
    """What was measured, as JSON; None if nothing was."""
    return None if counted is None else dataclasses.asdict(counted)


def _tiny(trainer: Any, order: Order) -> dict[str, Any]:
    """What is known of the small model that is trained."""
    model = getattr(trainer, "model", None)
    for holder in (model, getattr(model, "policy", None), getattr(model, "module", None)):
        name = getattr(getattr(holder, "config", None), "_name_or_path", "") or ""
        if name.startswith(str(order.models)):
            return mapping(
                order.models / name[len(str(order.models)) :].split("/")[1] / "done.json"
            )
    return {}
