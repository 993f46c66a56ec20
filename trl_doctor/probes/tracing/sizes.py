"""The arguments and rows of a traced step: the run's own sizes, on the CPU, for one process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..layout.argument_tables import (
    ALONE,
    ENGINE,
    LEFT_OUT,
    NO_GPU,
    ON_CPU,
    OPTIMIZERS,
    QUIET,
    SILENT,
)
from ..layout.arguments import Arguments, settled, typed_arguments

ONE = "one optimizer step is enough"
ACCUMULATED = "gradients of the first batch are there from the second on"
GROUPS = "how many completions share a prompt takes no memory"
BY_RULE = "its memory is computed by rule"

PROMPT, LENGTH, BATCH = 512, 1024, 8
"""The default tokens of a prompt and of a row, and rows of a batch."""


ANSWERS = ("messages", "text", "completion", "chosen", "rejected")
"""The columns that are made long, where there are any."""


def arguments(config: type, run: dict[str, Any], trainer: str, device: str) -> Arguments:
    """The run's own arguments, for one optimizer step of at most two batches."""
    types, values = typed_arguments(config, run)
    fixed = {**SILENT, "max_steps": (1, ONE), "num_train_epochs": (1, ONE)}
    fixed.update(dataloader_num_workers=(0, ONE), use_cpu=(True, NO_GPU), use_vllm=(False, ENGINE))
    times = 2 if _whole(values.get("gradient_accumulation_steps"), 1) > 1 else 1
    batch = _whole(values.get("per_device_train_batch_size"), BATCH)
    if trainer in ("grpo", "rloo") and "num_generations" in types:
        times = 2 if batch == 1 else times
        fixed["num_generations"] = (_divisor(batch * times), GROUPS)
    fixed["gradient_accumulation_steps"] = (times, ACCUMULATED)
    if any(part in str(values.get("optim", "")) for part in OPTIMIZERS):
        fixed["optim"] = ("adamw_torch", BY_RULE)
    out = {name: why for why, names in LEFT_OUT.items() for name in names if why in (QUIET, ALONE)}
    out.update(dict.fromkeys(("steps_per_generation", "generation_batch_size"), ONE))
    out.update({name: NO_GPU for name in ON_CPU if name != "optim_target_modules"})
    if trainer == "ppo" or "rloo_k" in types:
        del fixed["max_steps"], fixed["num_train_epochs"]
        out.update(dict.fromkeys(("max_steps", "num_train_epochs"), ONE))
        fixed.update(_episodes(values, batch * times))
    return settled(types, values, fixed, out)


def _episodes(values: dict[str, Any], rows: int) -> dict[str, tuple[Any, str]]:
    """One update of a trainer that counts episodes."""
    return {
        "total_episodes": (rows, ONE),
        "num_ppo_epochs": (1, ONE),
        "num_mini_batches": (1, ONE),
        "num_sample_generations": (0, QUIET),
        "rloo_k": (2, GROUPS),
    }


def _whole(value: Any, usual: int) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else usual


def _divisor(rows: int) -> int:
    """The smallest group that divides a batch evenly."""
    return next(size for size in range(2, rows + 1) if rows % size == 0)


def filled(
    rows: list[dict[str, Any]], trainer: str, tokens: int, count: Callable[[Any], int]
) -> list[dict[str, Any]]:
    """Made rows with the longest texts that have at most so many tokens.

    `count` gives the tokens of a text. Preference pairs share the tokens: half for the prompt.
    """
    return [_filled(row, trainer, tokens, count) for row in rows]


def _filled(
    row: dict[str, Any], trainer: str, tokens: int, count: Callable[[Any], int]
) -> dict[str, Any]:
    answers = {name: value for name, value in row.items() if name in ANSWERS}
    if not answers:
        return {name: _grown(value, tokens, count) for name, value in row.items()}
    prompt_length = count(row["prompt"]) if "prompt" in row else 0
    return {
        name: _grown(value, tokens - prompt_length, count) if name in answers else value
        for name, value in row.items()
    }


def _grown(value: Any, tokens: int, count: Callable[[Any], int]) -> Any:
    """A text, or the last turn of a conversation, made as long as it may be."""
    if not isinstance(value, (str, list)):
        return value
    least, most = 0, 2 * max(1, tokens)
    while least < most:
        middle = (least + most + 1) // 2
        if count(_longer(value, middle)) <= tokens:
            least = middle
        else:
            most = middle - 1
    return _longer(value, least)


def _longer(value: Any, words: int) -> Any:
    more = " so" * words
    if isinstance(value, str):
        return value + more
    return [*value[:-1], {**value[-1], "content": value[-1]["content"] + more}]
