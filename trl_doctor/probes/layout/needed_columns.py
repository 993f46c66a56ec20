"""The columns that each trainer needs.

Rules on the files import this too, so it imports nothing of the small step.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

COLUMNS: dict[str, tuple[tuple[str, ...], ...]] = {
    "grpo": (("prompt",),),
    "rloo": (("prompt",),),
    "ppo": (("prompt",), ("messages",)),
    "sft": (("messages",), ("text",), ("prompt", "completion"), ("conversations",)),
    "dpo": (("chosen", "rejected"),),
    "kto": (("prompt", "completion", "label"), ("chosen", "rejected")),
    "reward": (("chosen", "rejected"),),
    "online_dpo": (("prompt",),),
    "distillation": (("prompt",), ("messages",)),
    "gold": (("messages",), ("text",), ("prompt", "completion"), ("conversations",)),
    "iw_opd": (("messages",),),
    "sdft": (("prompt", "privileged_context"), ("prompt", "golden_response")),
    "sdpo": (("prompt",),),
}
"""Groups of columns; a trainer needs one group completely."""

WITH_ENGINE = ("online_dpo", "distillation", "gold", "iw_opd", "sdft", "sdpo")
"""Trainers that take a step only where vLLM generates."""

TEXT, OLD = ("text",), ("conversations",)
"""The columns that `dataset_text_field` renames, and those that only old releases read."""

Release = tuple[int, ...]
BY_PROMPT, NO_PROMPT = (0, 19), "completion beside prompt, or no column prompt"
"""From this release of trl on SFT takes rows with a prompt for prompt and completion."""

ALWAYS: tuple[Release, Release] = ((0, 0), (99, 0))
TOKENS: dict[str, dict[tuple[str, ...], tuple[Release, Release]]] = {
    "sft": {("input_ids",): ALWAYS},
    "reward": {
        ("input_ids_chosen",): ((0, 0), (0, 24)),
        ("chosen_input_ids", "rejected_input_ids"): ((0, 24), (99, 0)),
        ("chosen_ids", "rejected_ids"): ((0, 29), (99, 0)),
    },
}
"""What they take as well, rows that are tokens already: from a release of trl until another one."""


def tokens(trainer: str, release: Sequence[int] | None = None) -> list[tuple[str, ...]]:
    """The groups of columns with tokens that a trainer of a release takes; of any without one."""
    columns = TOKENS.get(trainer, {})
    if release is None:
        return list(columns)
    now = tuple(release)
    return [group for group, (first, gone) in columns.items() if first <= now < gone]


def lacking(
    columns: Collection[str], trainer: str, text: Any, release: Sequence[int] | None = None
) -> str:
    """The columns that a trainer needs, in words, if it has no complete group.

    `text` is the run's `dataset_text_field`, `release` that of trl, where it is known.
    """
    by_prompt = trainer == "sft" and release is not None and tuple(release) >= BY_PROMPT
    if by_prompt and "prompt" in columns and not {"completion", "input_ids"} & set(columns):
        return NO_PROMPT
    text_columns = (text,) if isinstance(text, str) else TEXT
    groups = [text_columns if group == TEXT else group for group in COLUMNS[trainer]]
    if any(set(group) <= set(columns) for group in (*groups, *tokens(trainer, release))):
        return ""
    words = [" + ".join(group) for group in groups if group != OLD]
    return f"{', '.join(words[:-1])}, or {words[-1]}" if len(words) > 1 else words[0]
