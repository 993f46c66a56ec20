"""Sees whether the questions of the rows are among what the loss is of, where answers alone are."""

from __future__ import annotations

from typing import Any

SHORTEST = 4
"""Characters of a question that is looked for."""


def asked(trainer: Any, rows: list[dict[str, Any]]) -> int | None:
    """The rows whose question is trained on; None where the loss is to be on whole rows.

    The rows are those that the trainer was given, none left out.
    """
    data, tokenizer = trainer.train_dataset, trainer.processing_class
    tokenizer = getattr(tokenizer, "tokenizer", tokenizer)
    if len(data) != len(rows) or not _answers_alone(trainer.args, rows):
        return None
    times = 0
    for row, given in zip(rows, data):
        question = _question(row)
        labels = trainer.data_collator([given]).get("labels")
        if labels is None or len(question) < SHORTEST:
            return None
        kept = [id for id in labels[0].tolist() if id != -100]
        times += question in tokenizer.decode(kept)
    return times


def _answers_alone(args: Any, rows: list[dict[str, Any]]) -> bool:
    """Whether this trainer is to learn completions, or an assistant's words, and no others."""
    if all("prompt" in row and "completion" in row for row in rows):
        return getattr(args, "completion_only_loss", False) is not False
    spoken = all(isinstance(row.get("messages"), list) for row in rows)
    return spoken and bool(getattr(args, "assistant_only_loss", False))


def _question(row: dict[str, Any]) -> str:
    """The question, as the text has it: the last words of the user."""
    messages = row.get("prompt", row.get("messages"))
    if isinstance(messages, str):
        return messages.strip()
    words = [message.get("content") for message in messages or () if message.get("role") == "user"]
    return words[-1].strip() if words and isinstance(words[-1], str) else ""
