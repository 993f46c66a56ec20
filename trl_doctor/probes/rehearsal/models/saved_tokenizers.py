"""Whether the tokenizer beside a trained model is the one that it was trained with."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from ...processing import tokenizer_of
from ..record import Mistake, Record, rank
from ..where import here

TALK = (
    {"role": "user", "content": "How many?"},
    {"role": "assistant", "content": "Seven."},
    {"role": "user", "content": "And now?"},
)
"""What two chat templates are compared by."""


class SavedTokenizers:
    """Compares what the script saves itself with the last trainer's tokenizer."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self._trained: Any = None

    def trained(self, trainer: Any) -> None:
        """A training has ended; a processor has its tokenizer inside."""
        self._trained = tokenizer_of(trainer)

    def saved(self, tokenizer: Any, folder: Any) -> None:
        """Report a tokenizer that was saved beside a model's files and is another one."""
        if self._trained is None or tokenizer is self._trained or rank():
            return
        files = Path(os.fspath(folder))
        if not any((files / name).is_file() for name in ("config.json", "adapter_config.json")):
            return
        if differs := _differs(tokenizer, self._trained):
            self.record.mistake(Mistake("another tokenizer saved", [files.name, differs], here()))


def _differs(saved: Any, trained: Any) -> str:
    """What the saved tokenizer has otherwise; empty if it gives the model the same."""
    lacking = sorted({*trained.get_vocab()} - {*saved.get_vocab(), trained.pad_token})
    if lacking:
        return f"it lacks {len(lacking)} tokens, as {lacking[0]}"
    if saved.eos_token != trained.eos_token:
        return f"its eos is {saved.eos_token} and not {trained.eos_token}"
    if _rendered(saved) != _rendered(trained):
        return "its chat template is another one"
    return ""


def _rendered(tokenizer: Any) -> str:
    try:
        return str(
            tokenizer.apply_chat_template(list(TALK), tokenize=False, add_generation_prompt=True)
        )
    except Exception:  # without a template, or with one that refuses this talk
        return str(getattr(tokenizer, "chat_template", None))
