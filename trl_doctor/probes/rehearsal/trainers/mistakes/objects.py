"""Mistakes that the objects of a trainer show: its models, its rows, its log."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ....members import word
from ....processing import given_processing, processing_of
from ....watching.alignment import attended_padding, no_tokens, on_padding, own_loss
from ....watching.labels import collator_rows, prepared
from ....watching.pair_losses import of_pair_loss
from ...kinds import LIBRARIES, package_of
from ...record import Mistake
from ...rows.cut_labels import cut_labels
from ...rows.intent import says
from ...settings import config_files, left_keys, lost_names, unpassed_sections, unset_parameters
from .. import configs
from ..classes import is_own
from .last_batches import of_size
from .never_called import formatting
from .rows_not_reached import not_reached
from .several_scores import several_scores

SEEN = 64
"""Rows among which the shortest and the longest are looked for."""

FEWEST, MOST = 8, 200_000
"""How many rows have their labels compared."""

WEIGHTS = ("desirable_weight", "undesirable_weight")

UNEVEN, NEAR = 1.5, 1.33
"""How many times more rows one label has than the other, and how near the weights are to that."""

COMMON = 0.5
"""The share of the ids that two tokenizers of one family give to the same token, at least."""


OWN_MASK = re.compile("attention_mask")
"""What a script says whose loss, or model, makes the mask that its batches do not have."""

ROLES = ("ref_model", "teacher_model")
"""Models of a trainer that stay as they are."""


def of_arguments(arguments: dict[str, Any], *, whole: bool) -> Iterator[Mistake]:
    """Those of what the trainer is given; `whole` says that it gets all rows of the run."""
    yield from of_parts(arguments, whole=whole)
    if whole:
        yield from not_reached(arguments)
    yield from cut_labels(arguments, whole=whole)
    yield from formatting(arguments)
    config = arguments.get("args")
    for settings in (config_files, unpassed_sections, left_keys, lost_names):
        yield from settings.unread(config, getattr(config, configs.OWN, None))
    yield from unset_parameters.unread()


def of_parts(arguments: dict[str, Any], *, whole: bool) -> Iterator[Mistake]:
    """Those of models, tokenizer and labels, as a trainer is given them or has them."""
    if whole:
        yield from _labels(arguments.get("train_dataset"))
        yield from _weights(arguments.get("args"), arguments.get("train_dataset"))
    tokenizer = given_processing(arguments)
    yield from _reference(arguments.get("model"), arguments.get("ref_model"), tokenizer)
    yield from _vocabulary(arguments.get("model"), tokenizer)
    yield from several_scores(arguments)


def of_roles(trainer: Any, arguments: dict[str, Any]) -> Iterator[Mistake]:
    """A model that is to stay as it is, and has weights that are trained."""
    model: Any = getattr(trainer, "model", None)
    if is_own(trainer) or not hasattr(model, "named_parameters"):
        return
    trained = {id(weights) for weights in model.parameters() if weights.requires_grad}
    for role in ROLES:
        if package_of(type(arguments.get(role))) not in LIBRARIES:
            continue  # the script's own module may turn the adapter off
        named = getattr(arguments.get(role), "named_parameters", tuple)
        if shared := [name for name, weights in named() if id(weights) in trained]:
            adapted = [name for name in shared if "lora" in name] or shared
            yield Mistake("weights shared", [role, str(len(shared)), adapted[0]])


def of_log(trainer: Any) -> Iterator[Mistake]:
    """Values in the log that are no JSON, where a checkpoint of the run would hold the log."""
    given = configs.own_of(trainer.args)
    if word(given.get(configs.SAVES, "steps")) == "no":
        return
    for entry in getattr(trainer.state, "log_history", ()):
        for name, value in entry.items():
            try:
                json.dumps(value)
            except TypeError:
                yield Mistake("log is no JSON", [str(name), type(value).__name__])
                return
            except ValueError:
                return


def of_state(trainer: Any) -> Iterator[Mistake]:
    """A training that a callback of the script's own has ended before its last step."""
    state, handler = trainer.state, getattr(trainer, "callback_handler", None)
    kinds = [type(callback) for callback in getattr(handler, "callbacks", ())]
    own = [kind.__name__ for kind in kinds if package_of(kind) not in LIBRARIES]
    if own and state.global_step < state.max_steps:
        words = [" or ".join(own), str(state.global_step), str(state.max_steps)]
        yield Mistake("ended by callback", words)


def of_loss(trainer: Any) -> Iterator[Mistake]:
    """Those of a loss of the script's own."""
    yield from of_size(trainer)
    yield from _of_pairs(trainer)
    yield from of_padding(trainer)


def _of_pairs(trainer: Any) -> Iterator[Mistake]:
    """A loss that does not prefer the chosen answers."""
    losses = of_pair_loss(trainer)
    if losses is not None:
        what = "loss without pairs" if losses.same else "loss turned round"
        words = [str(losses.pairs), f"{losses.higher:.3g}", f"{losses.lower:.3g}"]
        yield Mistake(what, words)


def of_padding(trainer: Any) -> Iterator[Mistake]:
    """Padding in a batch of a short and a long row that has labels, or that the model reads.

    Also labels that are neither tokens nor -100.
    """
    if getattr(getattr(trainer.model, "config", None), "is_encoder_decoder", False):
        return
    with contextlib.suppress(Exception):  # rows, or a collator, of another kind
        data = collator_rows(trainer)
        rows = sorted((data[at] for at in range(min(len(data), SEEN))), key=_size)
        batch = prepared(trainer, [rows[0], rows[-1]])
        tokenizer = processing_of(trainer)
        pad = getattr(tokenizer, "pad_token_id", None)
        ends, makes_mask = {getattr(tokenizer, "eos_token_id", None)}, "attention_mask" not in batch
        read = attended_padding(batch, pad, ends)
        if read and not (makes_mask and says(OWN_MASK)):
            yield Mistake("padding attended", [str(read)])
        if own_loss(trainer) or getattr(trainer, "compute_loss_func", None):
            return  # who may leave out labels
        if strange := no_tokens(batch):
            yield Mistake("labels are no tokens", [str(strange[0]), str(len(strange))])
        if padding := on_padding(batch, pad):
            learned = int((batch["labels"] != -100).sum())
            yield Mistake("labels on padding", [str(padding), str(learned)])


def _size(row: Any) -> int:
    return sum(len(value) for value in row.values() if isinstance(value, (str, list)))


def _labels(rows: Any) -> Iterator[Mistake]:
    if "label" not in (getattr(rows, "column_names", None) or ()):
        return
    if FEWEST <= len(rows) <= MOST and {*rows["label"]} in ({True}, {False}):
        yield Mistake("labels alike", [str(rows["label"][0]), str(len(rows))])


def _weights(config: Any, rows: Any) -> Iterator[Mistake]:
    """Weights of wanted and other answers in the ratio of their numbers, not in its inverse."""
    good_weight, bad_weight = (getattr(config, name, None) for name in WEIGHTS)
    if not good_weight or not bad_weight or "label" not in getattr(rows, "column_names", ()):
        return
    labels = [bool(label) for label in rows["label"]] if FEWEST <= len(rows) <= MOST else []
    good, bad = labels.count(True), labels.count(False)
    if not good or not bad or max(good, bad) < UNEVEN * min(good, bad):
        return
    if 1 / NEAR <= good_weight / bad_weight * bad / good <= NEAR:
        words = (f"{good_weight:g}", f"{bad_weight:g}", good, bad)
        yield Mistake("weights turned round", [str(word) for word in words])


def _reference(model: Any, reference: Any, tokenizer: Any) -> Iterator[Mistake]:
    """A reference model without an embedding for ids that the policy has one for."""
    trained, reference_rows = _rows(model), _rows(reference)
    if trained is None or reference_rows is None or not hasattr(tokenizer, "__len__"):
        return
    if reference_rows < min(trained, len(tokenizer)):
        yield Mistake("reference lacks rows", [str(reference_rows), str(len(tokenizer))])


def _rows(model: Any) -> int | None:
    """The rows of a model's input embeddings."""
    embeddings = model.get_input_embeddings() if hasattr(model, "get_input_embeddings") else None
    weight = getattr(embeddings, "weight", None)
    return None if weight is None else int(weight.shape[0])


def _vocabulary(model: Any, tokenizer: Any) -> Iterator[Mistake]:
    """A tokenizer with other ids than that in the model's own folder."""
    folder = Path(str(getattr(getattr(model, "config", None), "_name_or_path", "") or "."))
    if not hasattr(tokenizer, "get_vocab") or not (folder / "tokenizer.json").is_file():
        return
    try:
        own = json.loads((folder / "tokenizer.json").read_text("utf-8"))
        entries = own["model"]["vocab"]
        ids = dict(entries) if isinstance(entries, dict) else {}
    except (OSError, ValueError, KeyError, TypeError):
        return
    ids.update({token["content"]: token["id"] for token in own.get("added_tokens", ())})
    given = tokenizer.get_vocab()
    same = sum(given.get(token) == number for token, number in ids.items())
    if ids and same < COMMON * len(ids):
        yield Mistake("another vocabulary", [str(same), str(len(ids))])
