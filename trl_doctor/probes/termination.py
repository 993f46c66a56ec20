"""Whether generation stops where the chat template ends a turn, in the real `generate`."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

from .answers.termination import Generation, TerminationAnswer, TrainerGeneration
from .layout.arguments import parsed, without_engine
from .loading.encoding import of_training
from .logits.plain_trainer import built
from .refusal import Refused
from .small_model.shrink import Tiny, shrunken

LIMIT = 12
"""Tokens after which generation ends by itself."""

PROMPT = "What is seven times six?"
SAMPLING = ("temperature", "top_p", "top_k", "min_p", "repetition_penalty")
BOUNDS = ("min_new_tokens", "min_length", "stop_strings", "max_time")
"""What ends or prolongs a completion whatever it says, beside the limit."""


def answer(request: dict[str, Any]) -> TerminationAnswer:
    """How long a model talks that only ever says its turn end, by its files and by the trainer."""
    import torch

    turn_end = request["ends"]["turn_end"]
    if turn_end is None:
        raise Refused("no token of its own ends a turn of its chat template")
    tiny = shrunken(request, "policy", Path("policy"), end_probability=1.0)
    if tiny.turn_end_probability is None:
        raise Refused(f"no random {tiny.architecture} could be made to generate only one token")
    model = tiny.loaded(bool(request["trust_remote_code"]), torch.float32)
    ids = _prompt(request)
    own = copy.deepcopy(model.generation_config)
    by_trainer, refused = None, ""
    try:
        by_trainer = _by_trainer(request, tiny, ids)
    except Refused as reason:
        refused = str(reason)
    return TerminationAnswer(
        architecture=tiny.architecture,
        turn_end=turn_end,
        turn_end_probability=tiny.turn_end_probability,
        limit=LIMIT,
        files=_generated(model, ids, own),
        trainer=by_trainer,
        refused=refused,
    )


def _by_trainer(request: dict[str, Any], tiny: Tiny, ids: Any) -> TrainerGeneration:
    """The same with the generation config that the built trainer hands to `generate`."""
    arguments = {key: value for key, value in request["arguments"].items() if key in SAMPLING}
    arguments["generation_kwargs"] = _unbounded(
        parsed(request["arguments"].get("generation_kwargs"))
    )
    arguments.update(
        {name: value for name, (value, _) in without_engine(request["arguments"]).items()}
    )
    trainer = built(request, tiny, max_completion_length=LIMIT, **arguments)
    config = getattr(trainer, "generation_config", None)
    if config is None:
        raise Refused(f"{type(trainer).__name__} makes its generation config while it trains")
    model = trainer.model
    counted = getattr(trainer, "eos_token_ids", None)
    if counted is None:
        counted = [trainer.processing_class.eos_token_id]
    generation = _generated(model, ids, copy.deepcopy(config))
    ends = tuple(id for id in counted if id is not None)
    return TrainerGeneration(generation.eos, generation.tokens, generation.stopped, counted=ends)


def _unbounded(kwargs: dict[str, Any]) -> dict[str, Any]:
    """Settings of `generate` without those that bound a completion's length or time."""
    bounds = {name for name in kwargs if name.startswith(("max_", "min_")) and name != "min_p"}
    return {name: value for name, value in kwargs.items() if name not in {*bounds, *BOUNDS}}


def _generated(model: Any, ids: Any, config: Any) -> Generation:
    """One completion of a prompt under a generation config."""
    import torch

    config.max_new_tokens, config.max_length = LIMIT, None
    for source in (config, model.generation_config):  # what is None is taken from the model's own
        for name in BOUNDS:
            setattr(source, name, None)
    eos = config.eos_token_id
    if eos is None:
        eos = model.generation_config.eos_token_id
    torch.manual_seed(0)
    with torch.no_grad():
        out = model.generate(
            input_ids=ids, attention_mask=torch.ones_like(ids), generation_config=config
        )
    tokens = out[0, ids.shape[1] :].tolist()
    every = eos if isinstance(eos, (list, tuple)) else [eos]
    ends = tuple(int(token) for token in every if token is not None)
    return Generation(ends, tuple(tokens), stopped=len(tokens) < LIMIT)


def _prompt(request: dict[str, Any]) -> Any:
    """The ids of a question as the chat template writes it, (1, length)."""
    tokenizer = of_training(request)
    messages = [{"role": "user", "content": PROMPT}]
    text = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
    return tokenizer(text, return_tensors="pt", add_special_tokens=False)["input_ids"]
