"""One step of the real trainer in training mode, with completions of the colocated engine."""

from __future__ import annotations

import contextlib
from typing import Any

from ..answers.engine import Completed, EngineStep
from ..answers.error import Error
from ..child import error_answer
from ..dropouts import dropout_of
from ..layout.rows import rows
from ..processing import tokenizer_in
from ..refusal import Refused
from ..step import files_kept
from ..watching.completions import eos_of
from ..watching.log import logged_first
from .start import Broken, Engine, cause, in_engine

TOLD = 64
"""The most completions that are reported."""


def take_step(request: dict[str, Any], engine: Engine) -> EngineStep:
    """Take the step, then hand the engine the longest prompt."""
    trainer = engine.trainer
    error: Exception | None = None
    log: list[dict[str, Any]] = []
    try:
        with files_kept(request):
            log = engine.repeat.step(trainer)
    except Exception as raised:
        about = error_answer(raised)
        if about.contained or about.memory or about.disk:
            raise
        error = raised.__cause__ if isinstance(raised, Broken) else raised  # type: ignore[assignment]
        if error and cause(error) == "head size":
            raise Refused(f"this vLLM's backend has no attention for the model: {error}") from error
    context = int(engine.llm.llm_engine.model_config.max_model_len)
    longest, seen = longest_prompt(request, trainer)
    over = engine.generation is not None and len(longest) >= context
    return EngineStep(
        error=error_answer(error) if error else None,
        inside=bool(error and in_engine(error)),
        changed=engine.laid.arguments.changed,
        log=logged_first(log)[0],
        completions=completions(engine),
        context=context,
        longest=len(longest),
        seen=seen,
        refused=error_for(engine, longest) if over and not error else None,
        dropout=dropout_of(trainer.model),
    )


def completions(engine: Engine) -> tuple[Completed, ...]:
    """What the engine has generated so far, and how the trainer counts the ends."""
    tokenizer = engine.trainer.processing_class
    pad = getattr(tokenizer_in(tokenizer), "pad_token_id", None)
    ends = {*eos_of(engine.trainer), pad}
    completed = []
    for _, outputs in engine.outputs:
        for completion in (completion for output in outputs for completion in output.outputs):
            ids = [int(id) for id in completion.token_ids]
            last = ids[-1] if ids else None
            completed.append(
                Completed(
                    len(ids),
                    completion.finish_reason,
                    completion.stop_reason,
                    last,
                    last not in ends,
                )
            )
    return tuple(completed[:TOLD])


def longest_prompt(request: dict[str, Any], trainer: Any) -> tuple[list[int], int]:
    """The tokens of the longest of the run's own prompts, and how many rows were examined."""
    data = rows({**request, "full_size": True}, conversational=True)
    if data.source == "made":
        return [], 0
    prompts = [row["prompt"] for row in data.rows if row.get("prompt")]
    ids = [prompt_ids(trainer, prompt) for prompt in prompts]
    return max(ids, key=len, default=[]), data.seen


def prompt_ids(trainer: Any, prompt: Any) -> list[int]:
    """A prompt as the trainer tokenizes it; empty if that fails, which the step shows."""
    tokenizer = trainer.processing_class
    if isinstance(prompt, str):
        return [int(id) for id in tokenizer(text=prompt)["input_ids"]]
    with contextlib.suppress(Exception):
        rendered = tokenizer.apply_chat_template(
            prompt,
            add_generation_prompt=True,
            tokenize=True,
            return_dict=True,
            **(getattr(trainer, "chat_template_kwargs", None) or {}),
        )
        return [int(id) for id in rendered["input_ids"]]
    return []


def error_for(engine: Engine, prompt: list[int]) -> Error | None:
    """What the engine raises for a prompt, as the trainer hands it over."""
    try:
        engine.generation.generate([prompt], None, 1)
    except Broken:
        raise
    except Exception as error:
        return error_answer(error)
    return None
