"""The number of rows of the embedding tables, found by the names that architectures use."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.model.checkpoint import Weights, weights

INPUT = (
    "embed_tokens.weight",
    "wte.weight",
    "word_embeddings.weight",
    "tok_embeddings.weight",
    "embed_in.weight",
    "word_embedding.weight",
    "shared.weight",
    "token_embedding.weight",
    "backbone.embeddings.weight",
    "backbone.embedding.weight",
    "rwkv.embeddings.weight",
    "tokens_embed.weight",
)
"""Suffixes of the names of tables that map ids to vectors."""

OUTPUT = (
    "lm_head.weight",
    "embed_out.weight",
    "output_layer.weight",
    "lm_head.linear.weight",
    "language_model.output.weight",
    "cls.predictions.decoder.weight",
)
"""Suffixes of the names of tables that map vectors to scores of ids."""

FOREIGN = frozenset({"vision", "visual", "vision_tower", "vision_model", "audio", "audio_tower",
                     "talker", "token2wav", "mtp", "draft", "code_predictor"})  # fmt: skip
"""Parts of a model whose tables are not for its text."""

FLOATS = frozenset({"F16", "BF16", "F32", "F64", "F8_E4M3", "F8_E5M2"})


class Rows(Struct, frozen=True):
    """A table with one row for each token id, and the file that contains it."""

    rows: int
    tensor: str
    file: str


def input_rows(facts: Facts) -> Rows:
    """The input embeddings; raises `Unavailable` if the weights do not show them."""
    return _required(embedding_rows(facts[weights]), facts[weights], "input embeddings")


def output_rows(facts: Facts) -> Rows:
    """The language model head, if the weights have a separate one; else raises `Unavailable`."""
    return _required(head_rows(facts[weights]), facts[weights], "language model head")


def embedding_rows(weights_: Weights) -> Rows | None:
    """The input embeddings; None if no tensor has one of their names."""
    return _rows(weights_, INPUT)


def head_rows(weights_: Weights) -> Rows | None:
    """The language model head; None if the weights have none, as when it is tied."""
    return _rows(weights_, OUTPUT, ("output.weight", "head.weight"))


def _required(rows: Rows | None, weights_: Weights, noun: str) -> Rows:
    if rows is not None:
        return rows
    if weights_.form == "pickled":
        raise Unavailable("the weights are pickled, and those are not opened")
    if not weights_.complete:
        raise Unavailable("the weights are not complete")
    raise Unavailable(f"no tensor has a known name of the {noun}")


def _rows(weights_: Weights, endings: Iterable[str], full_names: Iterable[str] = ()) -> Rows | None:
    """The table of the known names that is nested least."""
    names = [name for name in full_names if name in weights_.tensors]
    for name in weights_.tensors:
        if any(name == ending or name.endswith("." + ending) for ending in endings):
            names.append(name)
    tables = [name for name in names if _is_table(weights_, name)]
    if not tables:
        return None
    best = min(tables, key=lambda name: ("language_model" not in name, name.count("."), name))
    stored = weights_.tensors[best]
    return Rows(stored.shape[0], best, stored.file)


def _is_table(weights_: Weights, name: str) -> bool:
    stored = weights_.tensors[name]
    return len(stored.shape) == 2 and stored.dtype in FLOATS and not FOREIGN & {*name.split(".")}
