"""Who stops the engine: a model that says one token for ever, asked for each token in turn."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..answers.engine_sampling import Stop
from ..layout.arguments import of_sampling, parsed
from ..loading.config import mapping
from .logprobs import free, generate
from .model import training_model
from .start import Broken, Engine
from .sync import push_weights

LIMIT = 6
"""Tokens that the engine may say before its limit stops it."""

SCALE = 0.25

STOPPING = frozenset(
    ("stop", "stop_token_ids", "ignore_eos", "skip_special_tokens", "include_stop_str_in_output",
     "detokenize")
)  # fmt: skip
"""What of `generation_kwargs` says where to stop."""

FORBIDDING = ("bad_words", "allowed_token_ids", "logit_bias")
"""What of `generation_kwargs` can keep the engine from a token."""


def stops(request: dict[str, Any], engine: Engine) -> tuple[Stop, ...]:
    """For each token at which the run means to stop: who stopped the engine, and when."""
    speaker = training_model(request, engine.tiny)
    options = parsed(request["arguments"].get("generation_kwargs"))
    free(engine)
    results = []
    for id, reasons in intended(request, engine, options).items():
        begin = time.perf_counter()
        stop = Stop(id, text_of(engine, id), tuple(reasons), LIMIT, "tested")
        stop = ask(engine, speaker, stop, options)
        results.append(dataclasses.replace(stop, seconds=time.perf_counter() - begin))
    return tuple(results)


def intended(
    request: dict[str, Any], engine: Engine, options: dict[str, Any]
) -> dict[int, list[str]]:
    """The ids at which the run means to stop, each with the reasons for it."""
    strings: dict[int, list[str]] = {}
    for id, why in reasons(request, engine, options):
        if isinstance(id, int) and not isinstance(id, bool):
            strings.setdefault(id, []).append(why)
    return strings


def reasons(
    request: dict[str, Any], engine: Engine, options: dict[str, Any]
) -> Iterator[tuple[Any, str]]:
    """Pairs of an id and why the run means to stop there."""
    yield request["ends"]["turn_end"], "turn end"
    yield request["ends"]["eos"], "eos"
    for id in listed(engine.folder):
        yield id, "generation_config"
    for id in as_list(options.get("stop_token_ids")):
        yield id, "stop id"
    for text in as_list(options.get("stop")):
        ids = engine.tokenizer.encode(str(text), add_special_tokens=False)
        if len(ids) == 1:
            yield int(ids[0]), "stop string"


def listed(folder: Path) -> list[Any]:
    """The eos ids of generation_config.json."""
    return as_list(mapping(folder / "generation_config.json").get("eos_token_id"))


def as_list(value: Any) -> list[Any]:
    """A list as it is, nothing as an empty one, anything else as a list of itself."""
    return value if isinstance(value, list) else [] if value is None else [value]


def ask(engine: Engine, speaker: Any, stop: Stop, options: dict[str, Any]) -> Stop:
    """Let the engine say the token, and see what stops it."""
    id = stop.id
    if not 0 <= id < speaker.get_input_embeddings().weight.shape[0]:
        return dataclasses.replace(stop, state="the model has no row for it")
    make_say(speaker, id)
    generation = engine.generation
    generation.model = speaker
    error = push_weights(engine).error
    if error:
        return dataclasses.replace(
            stop, state=f"the engine does not take the weights: {error.type}"
        )
    kwargs = {key: value for key, value in options.items() if key in STOPPING}
    forbids = {
        key: value for key, value in of_sampling(options).items() if key in FORBIDDING and value
    }
    try:
        output, ids = generated(engine, kwargs)
        forbidden = bool(forbids) and generated(engine, {**kwargs, **forbids})[1][:1] != [id]
    except Broken:
        raise
    except Exception as problem:
        return dataclasses.replace(
            stop, state=f"the engine refuses: {type(problem).__name__}: {problem!s:.200}"
        )
    fate = "forbidden" if forbidden else "tested"
    return dataclasses.replace(
        stop,
        state=fate if ids[:1] == [id] else "the engine generates another token",
        length=len(ids),
        finish=output.finish_reason,
        stop_reason=output.stop_reason,
        text=str(output.text)[:80],
        first_tokens=tuple(ids[:3]),
    )


def generated(engine: Engine, kwargs: dict[str, Any]) -> tuple[Any, list[int]]:
    """What the engine says with these arguments when it takes the likeliest tokens, and its ids."""
    greedy = {"temperature": 0.0, "top_p": 1.0, "top_k": 0, "min_p": 0.0, "repetition_penalty": 1.0}
    generate(engine, greedy, kwargs, LIMIT, 1)
    _, outputs = engine.outputs[-1]
    output = outputs[0].outputs[0]
    return output, [int(token_id) for token_id in output.token_ids]


def make_say(model: Any, id: int) -> None:
    """Change a model's weights, tied or not, so that it says one token for ever.

    Every layer adds nothing and every token's embedding points the same way, so the last state is
    the same after any text; the row of one token is twice as long as the others.
    """
    import torch

    with torch.no_grad():
        for name, parameter in model.named_parameters():
            norm = parameter.ndim == 1 and name.endswith("weight")
            parameter.fill_(1.0) if norm else parameter.zero_()
        for table in (model.get_input_embeddings(), model.get_output_embeddings()):
            direction = torch.full_like(table.weight[0], SCALE)
            direction[::2] *= -1
            table.weight.copy_(direction.expand_as(table.weight))
            table.weight[id] = 2 * direction


def text_of(engine: Engine, id: int) -> str:
    """The token of an id as the training tokenizer writes it."""
    return str(engine.tokenizer.convert_ids_to_tokens(id) or "")
