"""Configs of a training where its GPU is not: they are made, as nothing trains with them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any


@contextlib.contextmanager
def made_on_cpu() -> Iterator[None]:
    """A config that is refused here is made for the CPU, as a parser makes it beside others."""
    try:
        from transformers import TrainingArguments
    except ImportError:
        yield
        return
    original = TrainingArguments.__post_init__

    def made(self: Any) -> None:
        try:
            original(self)
        except ValueError:
            self.use_cpu = True
            original(self)

    TrainingArguments.__post_init__ = made
    try:
        yield
    finally:
        TrainingArguments.__post_init__ = original
