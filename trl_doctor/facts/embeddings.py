"""The rows of the embedding tables, found by the names that architectures give to them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.checkpoint import Weights, weights

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
"""How the name of the table ends that turns ids into vectors."""

OUTPUT = (
    "lm_head.weight",
    "embed_out.weight",
    "output_layer.weight",
    "lm_head.linear.weight",
    "language_model.output.weight",
    "cls.predictions.decoder.weight",
)
"""How the name of the table ends that turns vectors into scores of ids; "output.weight" whole."""

FOREIGN = frozenset({"vision", "visual", "vision_tower", "vision_model", "audio", "audio_tower",
                     "talker", "token2wav", "mtp", "draft", "code_predictor"})  # fmt: skip
"""Parts of a model that have tables for something else than its text."""

FLOATS = frozenset({"F16", "BF16", "F32", "F64", "F8_E4M3", "F8_E5M2"})


@dataclass(frozen=True)
class Rows:
    """A table of one row for each token id, and the file that it is in."""

    rows: int
    tensor: str
    file: str


def input_rows(facts: Facts) -> Rows:
    """The input embeddings; raises `Unavailable` where the weights do not show them."""
    return _known(embedding_rows(facts[weights]), facts[weights], "input embeddings")


def output_rows(facts: Facts) -> Rows:
    """The language model head, where the weights have one of their own; else `Unavailable`."""
    return _known(head_rows(facts[weights]), facts[weights], "language model head")


def embedding_rows(found: Weights) -> Rows | None:
    """The input embeddings; None where no tensor has one of their names."""
    return _rows(found, INPUT)


def head_rows(found: Weights) -> Rows | None:
    """The language model head; None where the weights have none, as when it is tied."""
    return _rows(found, OUTPUT, ("output.weight", "head.weight"))


def _known(rows: Rows | None, found: Weights, noun: str) -> Rows:
    if rows is not None:
        return rows
    if found.form == "pickled":
        raise Unavailable("the weights are pickled, and those are not opened")
    if not found.complete:
        raise Unavailable("the weights are not complete")
    raise Unavailable(f"no tensor has a known name of the {noun}")


def _rows(found: Weights, endings: Iterable[str], whole: Iterable[str] = ()) -> Rows | None:
    """The table with the least nested of the known names."""
    names = [name for name in whole if name in found.tensors]
    for name in found.tensors:
        if any(name == ending or name.endswith("." + ending) for ending in endings):
            names.append(name)
    tables = [name for name in names if _is_table(found, name)]
    if not tables:
        return None
    best = min(tables, key=lambda name: ("language_model" not in name, name.count("."), name))
    stored = found.tensors[best]
    return Rows(stored.shape[0], best, stored.file)


def _is_table(found: Weights, name: str) -> bool:
    stored = found.tensors[name]
    return len(stored.shape) == 2 and stored.dtype in FLOATS and not FOREIGN & {*name.split(".")}
