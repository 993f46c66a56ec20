"""Looks at a built trainer without a step: its weights, its labels, its mistakes."""

from __future__ import annotations

import contextlib
import dataclasses
import importlib
import random
from collections.abc import Callable, Iterator, Sized
from typing import Any, TypeAlias

from trl_doctor.probes.answers.live import LiveAnswer
from trl_doctor.probes.answers.rehearse import RehearsalMistake
from trl_doctor.probes.answers.rows import Labels
from trl_doctor.probes.processing import processing_of, tokenizer_of
from trl_doctor.probes.rehearsal.record import Mistake
from trl_doctor.probes.rehearsal.trainers import live
from trl_doctor.probes.rehearsal.trainers.classes import released
from trl_doctor.probes.rehearsal.trainers.mistakes import objects
from trl_doctor.probes.rehearsal.trainers.mistakes.hidden_ends import of_ends
from trl_doctor.probes.rehearsal.trainers.mistakes.learned_rows import of_batches, of_examples
from trl_doctor.probes.rehearsal.trainers.mistakes.other_labels import of_other_labels
from trl_doctor.probes.rehearsal.trainers.mistakes.split_texts import of_tokenizer
from trl_doctor.probes.rehearsal.trainers.own_state import untouched
from trl_doctor.probes.rehearsal.trainers.step import learns_from_rows, own_ends
from trl_doctor.probes.watching.labels import collator_rows, labels

ROWS, WITH_IMAGES = 32, 4
"""Rows that are collated, at most; and where each has images, which take long."""

LONGEST = 200
"""Characters of an error that are told."""

HELD = ("model", "ref_model", "teacher_model", "reward_model", "value_model", "args",
        "train_dataset", "processing_class", "tokenizer")  # fmt: skip
"""Attributes in which a trainer keeps what it was given."""


def of_roles(trainer: Any) -> Iterator[Mistake]:
    """A reference or a teacher that shares weights with the model that is trained."""
    return objects.of_roles(trainer, _held(trainer))


def of_parts(trainer: Any) -> Iterator[Mistake]:
    """Those of models, tokenizer and labels."""
    return objects.of_parts(_held(trainer), whole=True)


Looks: TypeAlias = "tuple[tuple[Callable[[Any], Iterator[Mistake]], tuple[str, ...]], ...]"
"""What looks for mistakes, and the kinds that it finds."""

OF_PARTS: Looks = (
    (of_roles, ("weights shared",)),
    (of_parts, ("labels alike", "weights turned round", "reference lacks rows",
                "another vocabulary", "several scores")),
)  # fmt: skip

OF_ROWS: Looks = (
    (of_tokenizer, ("texts split otherwise",)),
    (objects.of_padding, ("padding attended", "labels are no tokens", "labels on padding")),
    (of_ends, ("end hidden",)),
    (of_batches, ("labels of a batch",)),
    (of_examples, ("answer of every row",)),
    (of_other_labels, ("evaluation has no mask",)),
)
"""What collates rows: a trainer that generates would generate for it."""


def looked_at(trainer: Any) -> LiveAnswer:
    """What is seen of a trainer. Its state and that of the generators of numbers stay."""
    with untouched(trainer), _same_numbers():
        kinds, mistakes, failed = list[str](), list[RehearsalMistake](), dict[str, str]()
        for look, finds in OF_PARTS + OF_ROWS * _collates(trainer):
            try:
                mistakes += [_told(mistake) for mistake in look(trainer)]
                kinds += finds
            except Exception as error:
                failed |= dict.fromkeys(finds, _in_words(error))
        weights = [*trainer.model.parameters()] if hasattr(trainer.model, "parameters") else []
        few = _few_rows(trainer)
        seen, not_read = _labels(few) if few else (None, "")
        return LiveAnswer(
            parameters=len(weights),
            trained=sum(weight.requires_grad for weight in weights),
            labels=seen,
            not_read=not_read,
            batch_error=_batch_error(few) if few else "",
            conversational=few is not None and _conversational(few),
            pad=getattr(processing_of(trainer), "pad_token_id", None),
            looked_for=tuple(kinds),
            mistakes=tuple(mistakes),
            failed=tuple(failed.items()),
        )


def _in_words(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"[:LONGEST]


def _collates(trainer: Any) -> bool:
    """Whether batches of its rows are what the model learns from, and the rows are no stream."""
    kind = released(type(trainer))
    learns = learns_from_rows(trainer) or kind.__module__.startswith("transformers.")
    return learns and isinstance(getattr(trainer, "train_dataset", None), Sized)


def _held(trainer: Any) -> dict[str, Any]:
    held = {name: getattr(trainer, name, None) for name in HELD}
    return {name: value for name, value in held.items() if value is not None}


def _told(mistake: Mistake) -> RehearsalMistake:
    place = f"{mistake.at[0]}:{mistake.at[1]}" if mistake.at else ""
    return RehearsalMistake(mistake.what, tuple(mistake.words), place)


class _FewRows:
    """A trainer with some of its rows only."""

    def __init__(self, trainer: Any, rows: Any) -> None:
        self._trainer, self.train_dataset = trainer, rows

    def __getattr__(self, name: str) -> Any:
        return getattr(self._trainer, name)


def _few_rows(trainer: Any) -> _FewRows | None:
    """The trainer with its first rows; None if it generates, or its rows are of another kind."""
    rows: Any = getattr(trainer, "train_dataset", None)
    if not learns_from_rows(trainer) or not isinstance(rows, Sized) or not hasattr(rows, "select"):
        return None
    sees = getattr(processing_of(trainer), "image_processor", None) is not None
    most = min(WITH_IMAGES if sees else ROWS, len(rows))
    with contextlib.suppress(Exception):  # a data set of the script's own
        return _FewRows(trainer, rows.select(range(most)))
    return None


def _labels(trainer: _FewRows) -> tuple[Labels | None, str]:
    """The labels of its rows; None, with the error, if these cannot be read."""
    count = len(trainer.train_dataset)
    if not count:
        return Labels(0, 0, None, None, 0), ""
    try:
        turn_end, eos = _ends(trainer)
        packed = bool(getattr(trainer.args, "packing", False))
        seen = labels(trainer, count, turn_end, eos)
    except Exception as error:
        return None, _in_words(error)
    return dataclasses.replace(seen, turn_end_id=turn_end, eos_id=eos, packed=packed), ""


def _batch_error(trainer: _FewRows) -> str:
    """The error of the collator on as many rows as a batch has; "" for none."""
    try:
        rows = collator_rows(trainer)
        size = min(len(rows), int(trainer.args.per_device_train_batch_size))
    except Exception:
        return ""  # the labels are read of the same rows: their error is told
    try:
        if size:
            trainer.data_collator([rows[at] for at in range(size)])
    except Exception as error:
        return _in_words(error)
    return ""


def _ends(trainer: _FewRows) -> tuple[int | None, int | None]:
    """The ids of the end of a turn, and of the eos."""
    ends = own_ends(trainer) or {}
    return ends.get("turn_end"), getattr(tokenizer_of(trainer), "eos_token_id", None)


def _conversational(trainer: _FewRows) -> bool:
    """Whether a template wrote the rows: they hold messages, or the end of one of its turns."""
    with contextlib.suppress(Exception):  # rows of another kind
        first, (turn_end, _) = trainer.train_dataset[0], _ends(trainer)
        ids = [value for name, value in first.items() if name.endswith("input_ids")]
        return bool(live.conversational([first])) or any(turn_end in row for row in ids)
    return False


@contextlib.contextmanager
def _same_numbers() -> Iterator[None]:
    """Afterwards the generators of Python, numpy and torch give the numbers they would have."""
    numpy = importlib.import_module("numpy.random")
    torch = importlib.import_module("torch.random")
    before = random.getstate(), numpy.get_state(), torch.get_rng_state()
    try:
        yield
    finally:
        random.setstate(before[0])
        numpy.set_state(before[1])
        torch.set_rng_state(before[2])
