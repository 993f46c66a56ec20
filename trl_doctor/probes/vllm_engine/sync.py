"""Whether the engine takes the trainer's weights: pushed the way that TRL pushes them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..answers.engine_weights import Push, Sync, SyncError
from ..child import error_answer
from .model import training_model
from .start import Engine

BASE, ADAPTER = 0.02, 0.01
"""Standard deviations by which weights are moved, those of an adapter less."""


def sync_weights(request: dict[str, Any], engine: Engine) -> Sync:
    """What becomes of a weight sync, with the trainer's own model and adapter, trained a little.

    A training tokenizer that is longer than the embedding means a model resized in memory.
    After this the engine holds the weights of `engine.generation.model`, if the sync went well.
    """
    model = engine.trainer.model
    rows = int(model.get_input_embeddings().weight.shape[0])
    length = len(engine.tokenizer)
    if length > rows:
        model = training_model(request, engine.tiny)
        model.resize_token_embeddings(length)
    move_weights(model)
    engine.generation.model = model
    push = push_weights(engine)
    return Sync(
        pushed=push.pushed,
        error=push.error,
        resized=(rows, length) if length > rows else None,
        tied=bool(getattr(model.config, "tie_word_embeddings", False)),
        adapter="merged" if hasattr(model, "peft_config") else "none",
    )


def move_weights(model: Any) -> None:
    """Move the weights away from those on disk, as training does: an engine that keeps its own
    is found out by its log-probabilities.
    """
    import torch

    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.ndim > 1 and "lora_A" not in name:
                by = ADAPTER if "lora_B" in name else BASE
                parameter += by * torch.randn_like(parameter)


def push_weights(engine: Engine) -> Push:
    """Push the weights of the generation's model: how many parameters went, and what stopped it."""
    names: list[tuple[str, list[int]]] = []
    with names_noted(engine.generation, names):
        try:
            engine.generation.sync_weights()
        except Exception as error:
            name, shape = names[-1] if names else ("", [])
            stopped = SyncError(
                **vars(error_answer(error)),
                parameter=name,
                trainer_shape=tuple(shape),
                engine_shape=shape_on_disk(engine.folder, name),
                backend=isinstance(error, AttributeError) and "weight_loader" in str(error),
            )
            return Push(max(len(names) - 1, 0), stopped)
    return Push(len(names), None)


@contextlib.contextmanager
def names_noted(generation: Any, names: list[tuple[str, list[int]]]) -> Iterator[None]:
    """While this lasts, each parameter that TRL pushes is noted before it goes."""
    parameters = generation._iter_named_params

    def noting() -> Iterator[tuple[str, Any]]:
        for name, parameter in parameters():
            names.append((name, [int(size) for size in parameter.shape]))
            yield name, parameter

    generation._iter_named_params = noting
    try:
        yield
    finally:
        generation._iter_named_params = parameters


def shape_on_disk(folder: Path, name: str) -> tuple[int, ...] | None:
    """The shape of a tensor in the folder that the engine was built from."""
    from safetensors import safe_open

    for file in sorted(folder.glob("*.safetensors")):
        with safe_open(str(file), framework="pt") as weights:
            if name in weights.keys():  # noqa: SIM118
                return tuple(int(size) for size in weights.get_slice(name).get_shape())
    return None
