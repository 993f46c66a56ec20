"""Sees what a trainer generates, and what it makes of it."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator
from typing import Any

from ..answers.rows import Completions
from ..processing import processing_of, tokenizer_in
from .beginnings import beginnings, unpadded
from .turns import turns


class CompletionWatch:
    """What `generate` of all models has said while it was `watched`; `rows` are ids.

    `prompts` are the ids of what it was asked.
    """

    def __init__(self) -> None:
        self.rows: list[list[int]] = []
        self.prompts: list[list[int]] = []
        self.widths: list[int] = []

    @contextlib.contextmanager
    def watched(self) -> Iterator[None]:
        """While this lasts, completions are noted."""
        from transformers import GenerationMixin

        original = GenerationMixin.generate

        @functools.wraps(original)
        def generate(model: Any, *args: Any, **more: Any) -> Any:
            out = original(model, *args, **more)
            prompt_ids = args[0] if args else more.get("input_ids", more.get("inputs"))
            if prompt_ids is not None and getattr(prompt_ids, "ndim", 0) == 2:
                self.prompts += unpadded(prompt_ids, more.get("attention_mask"))
                self._note(getattr(out, "sequences", out)[:, prompt_ids.shape[1] :].tolist())
            return out

        GenerationMixin.generate = generate
        try:
            yield
        finally:
            GenerationMixin.generate = original

    def _note(self, rows: list[list[int]]) -> None:
        self.rows += rows
        self.widths.append(len(rows[0]) if rows else 0)

    def found(
        self, turn_end: int | None, ends: list[int], limit: int, trainer: Any
    ) -> Completions | None:
        """What became of the completions; None if none were generated.

        The model prefers the token `turn_end`; `ends` are all ids that end a turn.
        """
        if not self.rows:
            return None
        firsts = [next((at for at, id in enumerate(row) if id in ends), None) for row in self.rows]
        width = max(self.widths)
        words = processing_of(trainer)
        lengths = [len(row) if at is None else at + 1 for row, at in zip(self.rows, firsts)]
        return Completions(
            count=len(self.rows),
            lengths=tuple(lengths),
            limit=limit,
            width=width,
            ended=sum(at is not None for at in firsts),
            different=len({tuple(row) for row in self.rows}),
            turn_end=turn_end,
            ends=tuple(ends),
            after=sum(_goes_on(row, at, limit, ends) for row, at in zip(self.rows, firsts)),
            trainer_eos=tuple(eos_of(trainer)),
            stop_token_id=getattr(trainer, "stop_token_id", None)
            or getattr(trainer.args, "stop_token_id", None),
            takes_stop_token=hasattr(trainer.args, "stop_token"),
            begins=beginnings(words, self.prompts),
            turns=turns(words, self.prompts),
            longest_prompt=max(map(len, self.prompts), default=0),
        )


def _goes_on(row: list[int], first: Any, limit: int, ends: list[int]) -> bool:
    """Whether other tokens than one that pads follow the end, up to the limit."""
    if first is None or len(row) < limit:
        return False
    return len({id for id in row[first + 1 :] if id not in ends}) > 1


def eos_of(trainer: Any) -> list[int]:
    """The ids at which the trainer takes a completion for ended."""
    eos = getattr(trainer, "eos_token_ids", None)
    if eos is None:
        eos = getattr(trainer, "eos_token_id", None)
    if eos is None:
        words = trainer.processing_class
        eos = getattr(tokenizer_in(words), "eos_token_id", None)
    if eos is None:
        return []
    return [int(token) for token in eos] if isinstance(eos, (list, tuple, set)) else [int(eos)]
