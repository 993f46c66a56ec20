"""What the real libraries do with the run's own rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from trl_doctor.core.question import Answer
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts, dataset
from trl_doctor.facts.measured.candidate import ready, without_weights
from trl_doctor.facts.measured.live import live
from trl_doctor.facts.measured.own_code import own_code
from trl_doctor.facts.measured.rehearsal import rehearsal
from trl_doctor.facts.measured.step import stepped
from trl_doctor.facts.rows.own import data_key

if TYPE_CHECKING:
    from trl_doctor.probes.answers.data import DataAnswer
    from trl_doctor.probes.answers.rows import Labels


class TrainingRows(Struct, frozen=True):
    """The labels that a trainer makes from rows, and how its tokenizer pads.

    `generated` says that the rows are not the run's own.
    """

    labels: Labels
    conversational: bool
    pad: int | None
    script_pads: Literal["never", "where missing", "always"]
    generated: bool = False


def data(facts: Facts) -> Answer[DataAnswer]:
    """The answer on loading and preparing the rows with a healthy model; raises `Unavailable`."""
    data_key(facts)
    facts[ready]
    from trl_doctor.probes.answers.data import DataAnswer

    return facts.probes.ask(without_weights(facts, "data", "the run's rows", DataAnswer))


def training_rows(facts: Facts) -> TrainingRows:
    """The labels of a live trainer's rows or of the run's, else of those of the training step.

    Only the step has a script's own collator. Raises `NotConcerned` for trainers that generate,
    `Unavailable` if this is not known.
    """
    if (trainer := facts.get(live)) is not None:
        if trainer.not_read:
            raise Unavailable(
                f"the labels of the trainer's rows cannot be read: {trainer.not_read}"
            )
        if trainer.labels is None:
            raise NotConcerned("this trainer does not train on the rows themselves")
        return TrainingRows(trainer.labels, trainer.conversational, trainer.pad, "never")
    answer = facts.get(data)
    value = answer.value if answer else None
    if value and value.labels and value.own_tokenizer and not facts.get(own_code):
        return TrainingRows(value.labels, value.conversational, value.pad, value.script_pads)
    step = facts[stepped]
    if step.labels is None:
        raise NotConcerned("this trainer does not train on the rows themselves")
    generated = step.rows_from == "made"
    return TrainingRows(step.labels, step.conversational, step.pad, step.script_pads, generated)


def step_labels(facts: Facts) -> Labels | None:
    """The labels of a live trainer's rows, else those of the training step."""
    trainer = facts.get(live)
    return trainer.labels if trainer is not None else facts[stepped].labels


def last_targets(labels: Labels) -> tuple[str, ...]:
    """Evidence: the last tokens with a loss of the first rows, as texts and ids."""
    shown = []
    for at, row in enumerate(labels.last):
        texts = labels.last_texts[at] if at < len(labels.last_texts) else ()
        known = [f"{text!r} ({id})" for id, text in zip(row, texts, strict=False)]
        shown.append(f"the last targets are {', '.join(known or map(str, row))}")
    return tuple(shown)


def is_error_of_rows(value: DataAnswer, message: str) -> bool:
    """Whether loading or preparing the rows alone raises the error that a command reports."""
    error = value.not_loaded or (value.fault.error if value.fault else None)
    return error is not None and message.startswith(f"{error.type}: {error.message[:60]}")


def count(facts: Facts) -> int:
    """The number of rows for training: from a rehearsal, the library, or a local file of lines.

    Raises `Unavailable` if none is possible.
    """
    rehearsed = facts.get(rehearsal)
    if rehearsed and rehearsed.training_rows and rehearsed.training_rows.rows is not None:
        return rehearsed.training_rows.rows
    key = data_key(facts)
    answer = facts.get(data)
    value = answer.value if answer else None
    if value and value.rows is not None:
        return value.rows
    files = dataset.all_files(facts)
    number = dataset.lines(files[0]) if len(files) == 1 and key == "dataset_name" else 0
    if not number:
        raise Unavailable("how many rows there are is not known")
    return number


def test_count(facts: Facts) -> int:
    """The number of rows for evaluation, known as `count` knows those for training."""
    key = data_key(facts)
    answer = facts.get(data)
    value = answer.value if answer else None
    if value and value.tests is not None:
        return value.tests
    split = facts.run.arguments.get("dataset_test_split") or "test"
    places = [file.with_name(f"{split}.jsonl") for file in dataset.all_files(facts)]
    number = dataset.lines(places[0]) if len(places) == 1 and key == "dataset_name" else 0
    if not number:
        raise Unavailable("how many rows there are for evaluation is not known")
    return number
