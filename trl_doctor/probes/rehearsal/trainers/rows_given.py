"""What a trainer is given to train and to evaluate on."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sized
from pathlib import Path
from typing import Any

from ...contradictions import contradictions
from ...processing import given_processing, tokenizer_of
from ..kinds import names_of
from ..record import Mistake, of_the_job, world
from ..rows import compared, kept_apart, own_tokens, put_together, questions
from ..rows.begun import wrongly_begun
from ..rows.broken_words import broken_words
from ..rows.data import Data
from ..rows.formatted import formatted_in_vain
from ..rows.intent import low_is_good, meant
from ..rows.joined import joined_wrongly
from ..rows.labels.cut_prompts import masked_after_cut
from ..rows.labels.first_tokens import first_tokens_lost
from ..rows.labels.first_words import first_words_lost
from ..rows.labels.label_places import labels_in_question, masks_in_vain
from ..rows.labels.label_rows import labels_apart
from ..rows.labels.later_questions import later_questions
from ..rows.labels.small_labels import small_labels
from ..rows.left_out import QUESTION, answers_left_out, fuller_unused, left_out, questions_alone
from ..rows.lost import losses
from ..rows.lost_turns import lost_turns
from ..rows.meant import of_one_record
from ..rows.near_copies import near_copies
from ..rows.printed import printed
from ..rows.printed_messages import printed_messages
from ..rows.records import Records
from ..rows.sources import Read
from ..rows.text_order import wrong_choice, wrong_turns
from ..rows.tools.lost_tools import lost_tools
from ..rows.tools.merged_calls import merged_calls
from ..rows.verdicts import labels_counted, verdicts
from . import configs, live
from .classes import is_own

FEW = 4
"""Rows to evaluate on that show a mistake, at least."""

ROWS = ("train_dataset", "eval_dataset")

PAIRED = frozenset({"DPOTrainer", "RewardTrainer", "ORPOTrainer", "CPOTrainer"})
LABELLED = frozenset({"KTOTrainer", "BCOTrainer"})
"""Trainers that learn from the column `label`."""


def rows_of(trainer: Any, arguments: dict[str, Any], data: Data, file: Path) -> dict[str, Any]:
    """What there is; the first rows are written to the file."""
    rows, evaluation = (arguments.get(name) for name in ROWS)
    read = _as_trl_reads(trainer, arguments, data)
    columns = _columns(evaluation) if read else []
    streamed = rows is not None and not isinstance(rows, Sized)
    return {
        "rows": data.count(rows),
        "streamed": streamed,
        "endless": streamed and configs.without_end(arguments.get("args"), data.order),
        "evaluation": None if evaluation is None and not is_own(trainer) else columns,
        "sample": live.sample(rows, file) if read else None,
        "pads_right": _pads_right(arguments, data),
        "marks": [compared.marks(value) for value in (rows, evaluation)] if world() > 1 else None,
        **_compared(arguments, data),
    }


def wrong_rows(read: Read, arguments: dict[str, Any], data: Data) -> Iterator[Mistake]:
    """Mistakes in the rows to train on, as far as those that the script has read show them."""
    rows, evaluation = (arguments.get(name) for name in ROWS)
    if type(rows).__name__ == "DataFrame":
        yield Mistake("rows are a table", [type(rows).__module__.partition(".")[0]])
    if ways := kept_apart.not_apart(rows, evaluation):
        yield Mistake("not kept apart", ways)
    if put_together.parts_of_copies(rows, evaluation):
        same, compared_rows = questions.shared_answers(rows, evaluation)
        if same >= FEW and same >= compared_rows / 2:
            yield Mistake("copies split", [str(same), str(compared_rows)])
    if not data.made and (words := near_copies(rows, evaluation)):
        yield Mistake("near copies", words)
    same, compared_rows = (0, 0) if data.made else questions.shared_talks(rows, evaluation)
    if same >= FEW and same >= compared_rows / 2:
        yield Mistake("conversations split", [str(same), str(compared_rows)])
    if not data.made and (words := put_together.cut_off(rows, data.count)):
        yield Mistake("part cut off", words)
    if parts := kept_apart.swapped(rows, evaluation):
        yield Mistake("parts swapped", parts)
    with contextlib.suppress(Exception):  # rows of another kind
        if cells := printed(rows):
            yield Mistake("row printed whole", cells)
    yield from losses(read.rows, rows)
    collates = getattr(arguments.get("data_collator"), "tokenizer", None)
    tokenizer = given_processing(arguments) or collates
    yield from _beside_tables(read, rows, tokenizer)
    _, scheduler = (*(arguments.get("optimizers") or ()), None, None)[:2]
    own_arguments = getattr(arguments.get("args"), configs.OWN, None) or {}
    if of_the_job() == 1 and (late := compared.late_end(scheduler, own_arguments, rows)):
        yield Mistake("schedule too long", [str(number) for number in late])
    every: Any = rows if isinstance(rows, Sized) else ()
    with contextlib.suppress(Exception):  # rows of another kind
        found = contradictions(every)
        crossed = found.crossed
        if crossed and of_one_record(read.tables, every):
            crossed = None
        for what, numbers in (("answers contradict", found.both), ("pairs crossed", crossed)):
            if numbers:
                yield Mistake(what, list(map(str, numbers)))


def _beside_tables(read: Read, rows: Any, tokenizer: Any) -> Iterator[Mistake]:
    """Labels of other records, and rows that were kept by the texts of numbers."""
    if not isinstance(rows, Sized):
        return
    if words := labels_apart(Records(read.tables), rows, tokenizer):
        yield Mistake("labels mixed", words)
    with contextlib.suppress(Exception):  # rows of another kind
        if words := wrong_choice(read.tables, rows):
            yield Mistake("rows as texts", words)


def wrong_texts(
    read: Read, arguments: Mapping[str, Any], trainer: Any, added: set[str]
) -> Iterator[Mistake]:
    """The same of their texts and token ids, of which the trainer's tokenizer shows them.

    `arguments` are those of the trainer, `added` the tokens that the script has added to
    tokenizers of its model.
    """
    rows: Any = arguments.get(ROWS[0])
    tokenizer, records = tokenizer_of(trainer), Records(read.tables)
    if unknown := own_tokens.unknown(rows, tokenizer, added):
        yield Mistake("added tokens unknown", unknown)
    prepared = getattr(trainer, ROWS[0], None)
    if words := left_out(records, prepared, tokenizer):
        yield Mistake("column left out", words)
    if "SFTTrainer" in names_of(trainer):
        yield from _of_supervised(read, records, arguments, trainer)
    if words := joined_wrongly(records, rows, tokenizer):
        yield Mistake("records mixed", words)
    with contextlib.suppress(Exception):  # rows of another kind
        if words := printed_messages(read.rows, rows, prepared, tokenizer):
            yield Mistake("messages printed", words)
    with contextlib.suppress(Exception):  # rows of another kind
        if words := merged_calls(prepared, tokenizer):
            yield Mistake("calls merged", words)
        if words := wrong_turns(records, rows, tokenizer):
            yield Mistake("turns as texts", words)
        yield from labels_counted(read.rows, rows) if names_of(trainer) & LABELLED else ()
    if names_of(trainer) & PAIRED and (words := left_out(records, rows, tokenizer, QUESTION)):
        yield Mistake("question left out", words)
    yield from _of_own_labels(read, rows, tokenizer)
    yield from low_is_good()
    yield from verdicts(read.tables, rows)
    yield from own_tokens.mistakes(read.rows, rows, tokenizer)
    yield from lost_turns(read.rows, rows, tokenizer)
    yield from lost_tools(read.rows, rows, tokenizer, trainer)
    yield from wrongly_begun(rows, trainer, tokenizer)
    yield from broken_words(read.rows, rows, tokenizer)


def _of_supervised(
    read: Read, records: Records, arguments: Mapping[str, Any], trainer: Any
) -> Iterator[Mistake]:
    """What SFT trains on, beside the rows that it was given and those that were read."""
    rows, function = arguments.get(ROWS[0]), arguments.get("formatting_func")
    prepared, tokenizer = getattr(trainer, ROWS[0], None), tokenizer_of(trainer)
    if words := answers_left_out(records, prepared, tokenizer):
        yield Mistake("answers left out", words)
    field = str(getattr(trainer.args, "dataset_text_field", None) or "text")
    if words := questions_alone(rows, prepared, field, tokenizer):
        yield Mistake("questions alone", words)
    elif words := fuller_unused(read.tables, rows, prepared, field, tokenizer):
        yield Mistake("fuller texts unused", words)
    if words := formatted_in_vain(function, rows, prepared, field, tokenizer):
        yield Mistake("formatted in vain", words)
    yield from meant(field)
    if not getattr(trainer.args, "packing", False):
        yield from _of_whole_texts(read, prepared, tokenizer)


def _of_own_labels(read: Read, rows: Any, tokenizer: Any) -> Iterator[Mistake]:
    """Labels of the script's own that leave out something, or have too much."""
    with contextlib.suppress(Exception):
        if words := first_words_lost(read.rows, rows, tokenizer):
            yield Mistake("first words lost", words)
        if words := first_tokens_lost(rows, tokenizer):
            yield Mistake("first tokens lost", words)
        if words := masked_after_cut(read.rows, rows, tokenizer):
            yield Mistake("answers masked after a cut", words)
        if words := later_questions(rows, tokenizer):
            yield Mistake("later questions learned", words)
        if words := masks_in_vain(rows):
            yield Mistake("mask in vain", words)
        if words := labels_in_question(rows, tokenizer):
            yield Mistake("labels in the question", words)


def _of_whole_texts(read: Read, prepared: Any, tokenizer: Any) -> Iterator[Mistake]:
    """A loss that is nearly all about the questions."""
    with contextlib.suppress(Exception):  # rows of another kind
        if words := small_labels(read.rows, prepared, tokenizer):
            yield Mistake("small labels", words)


def _compared(arguments: dict[str, Any], data: Data) -> dict[str, Any]:
    """Whether what it evaluates on is new to it, and its schedule as long as the run."""
    rows, evaluation = (arguments.get(name) for name in ROWS)
    _, scheduler = (*(arguments.get("optimizers") or ()), None, None)[:2]
    own_arguments = getattr(arguments.get("args"), configs.OWN, None) or {}
    unknown = data.made or data.others
    alone = of_the_job() == 1 and scheduler is not None
    return {
        "repeated": None if unknown else compared.repeated(rows, evaluation),
        "shared_questions": None if unknown else questions.shared_questions(rows, evaluation),
        "idle_steps": compared.idle_steps(scheduler, own_arguments, rows) if alone else None,
    }


def _columns(evaluation: Any) -> list[str]:
    """The columns of rows, or of the first of several data sets; none where they are not known."""
    if isinstance(evaluation, dict):
        evaluation = next(iter(evaluation.values()), None)
    return getattr(evaluation, "column_names", None) or []


def _pads_right(arguments: dict[str, Any], data: Data) -> bool:
    """Whether the trainer's own collator pads the user's token ids after them."""
    collator = arguments.get("data_collator")
    own = collator is not None and type(collator).__name__ != "DataCollatorWithPadding"
    if data.made or own:
        return False
    tokenizer = given_processing(arguments)
    return live.pads_right(tokenizer, arguments.get("train_dataset"))


def _as_trl_reads(trainer: Any, arguments: dict[str, Any], data: Data) -> bool:
    """Whether the rows are the user's own, and TRL's own code prepares them."""
    prepared = getattr(arguments.get("args"), "dataset_kwargs", None) or {}
    left_alone = isinstance(prepared, dict) and prepared.get("skip_prepare_dataset")
    changed = is_own(trainer) or data.made or arguments.get("formatting_func")
    return not (changed or left_alone)
