"""Functions and rows of the script that its trainer takes, and never uses."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ....processing import given_processing
from ...kinds import LIBRARY, package_of
from ...record import Mistake
from ...where import attributes_of, own_files
from ..configs import EVALUATES, own_of

BY_HAND = frozenset({"compute_metrics", "preprocess_logits_for_metrics", "prediction_loss_only"})
"""Attributes of a trainer and its arguments with which a script makes metrics in its own way."""

OWN_WAYS = frozenset(
    {"do_eval", "eval_dataset", "evaluate", "predict", "should_evaluate", "get_eval_dataloader"}
)
"""Attributes with which a script evaluates in its own way, or may."""

SAYS = ("eval_strategy", "evaluation_strategy", "eval_on_start", "eval_steps", "do_eval")
"""What a config says of its evaluations."""

SHORTEST = 4
"""Letters of a formatted text that are looked for."""


def formatting(arguments: dict[str, Any]) -> Iterator[Mistake]:
    """A `formatting_func` beside rows that the trainer of TRL does not prepare any more."""
    function = arguments.get("formatting_func")
    tokenizer: Any = given_processing(arguments)
    if not inspect.isfunction(function) or not hasattr(tokenizer, "decode"):
        return
    rows: Any = arguments.get("train_dataset")
    if "input_ids" not in (getattr(rows, "column_names", None) or ()):
        return
    try:
        row = next(iter(rows))
        text = tokenizer.decode(row["input_ids"])
    except Exception:  # rows of another kind
        return
    special = [str(token) for token in getattr(tokenizer, "all_special_tokens", ())]
    if not _made_by(function, row, text, special):
        yield Mistake("formatting never called", [function.__name__])


def _made_by(function: Any, row: Mapping[str, Any], text: str, special: Sequence[str]) -> bool:
    """Whether the tokens of a row are of the text that the function makes, or may be."""
    given = _bare(text, special)
    try:
        made = _formatted(function, row)
    except Exception:  # its columns are gone: the words that it writes are compared
        words = [one for one in function.__code__.co_consts[1:] if isinstance(one, str)]
        written = [_bare(one, special) for one in words if not one.isidentifier()]
        long = [one for one in written if len(one) >= SHORTEST]
        return not long or any(one in given for one in long)
    whole = _bare(made or "", special)
    return not whole or whole in given or whole.startswith(given)


def _formatted(function: Any, row: Mapping[str, Any]) -> str | None:
    """What it makes of a row; None where that is no text. Some releases give it several rows."""
    try:
        made = function({name: [value] for name, value in row.items()})
    except Exception:
        made = None
    if not isinstance(made, list) or not made:
        made = function(dict(row))
    made = made[0] if isinstance(made, list) and made else made
    return made if isinstance(made, str) else None


def _bare(text: str, special: Sequence[str]) -> str:
    """A text without special tokens and spaces, which tokenizers may add or leave out."""
    for token in special:
        text = text.replace(token, "")
    return "".join(text.split())


def of_evaluation(trainer: Any) -> Iterator[Mistake]:
    """Functions of an evaluation that computes nothing but the loss.

    Not if the script calls or sets them itself, or asks for predictions: these have logits.
    """
    metrics = getattr(trainer, "compute_metrics", None)
    first = getattr(trainer, "preprocess_logits_for_metrics", None)
    own = attributes_of(own_files())
    if not trainer.eval_dataset or not own.isdisjoint(BY_HAND):
        return
    if metrics is None and _of_script(first) and "predict" not in own:
        yield Mistake("logits never prepared", [_name(first)])
    if _of_script(metrics) and getattr(trainer.args, "prediction_loss_only", False) is True:
        yield Mistake("metrics never called", [_name(metrics)])


def of_rows(trainer: Any) -> Iterator[Mistake]:
    """Rows for an evaluation that never comes: nothing in the script plans one, or makes it."""
    own = own_of(trainer.args)
    silent = all(own.get(key) is None or own.get(key) is True for key in SAYS)
    plans = getattr(trainer.args, EVALUATES, False) or own.get("eval_on_start") or not silent
    if plans or not trainer.eval_dataset or not _is_plain(trainer):
        return
    if OWN_WAYS.isdisjoint(attributes_of(own_files())):
        yield Mistake("rows never evaluated", [type(trainer).__name__])


def _is_plain(trainer: Any) -> bool:
    """Whether the trainer trains as the class of transformers does, with its callbacks alone."""
    parts = (type(trainer).train, *map(type, trainer.callback_handler.callbacks))
    classes = (part.__module__.startswith("transformers.") for part in parts)
    return package_of(type(trainer)) in LIBRARY and all(classes)


def _of_script(function: Any) -> bool:
    """Whether there is such a function, and no library has given it."""
    return callable(function) and package_of(function) not in LIBRARY


def _name(function: Any) -> str:
    return str(getattr(function, "__name__", type(function).__name__))
