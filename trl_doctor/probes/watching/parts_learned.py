"""Sees whether the loss is of the answers, of all of them and not of the questions too."""

from __future__ import annotations

import re
from typing import Any

from ..processing import tokenizer_in

SHORTEST = 4
"""Characters of a question that is looked for."""

TAGS = re.compile(r"^\s*(<[^<>]*>\s*)+")
"""Tags at the beginning of an answer: those that generation writes have no loss."""


def trained_parts(trainer: Any, rows: list[dict[str, Any]]) -> dict[str, int]:
    """The rows whose question is trained on, `asked`, and whose answer is not wholly, `missed`.

    Empty if the loss is to be on whole rows. The rows are those that the trainer was given, none
    left out. Words alone are compared, since decoding may change the spaces between them.
    """
    data, tokenizer = trainer.train_dataset, trainer.processing_class
    tokenizer = tokenizer_in(tokenizer)
    if len(data) != len(rows) or not _answers_alone(trainer.args, rows):
        return {}
    times = missed = 0
    for row, row_data in zip(rows, data):
        question, answers = _plain(_question(row)), [_plain(text) for text in _answers(row)]
        batch = trainer.data_collator([row_data])
        if batch.get("labels") is None or len(question) < SHORTEST:
            return {}
        text = _plain(tokenizer.decode([id for id in batch["labels"][0].tolist() if id != -100]))
        whole = _plain(tokenizer.decode(batch["input_ids"][0].tolist()))
        times += text.count(question) > "".join(answers).count(question)
        missed += any(answer in whole and answer not in text for answer in answers)
    return {"questions_learned": times, "answers_missed": missed}


def _plain(text: str) -> str:
    return re.sub(r"\W+", "", text)


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


def _answers(row: dict[str, Any]) -> list[str]:
    """The answers, as the text has them, without the tags that a template may open for them."""
    answer = row.get("completion", row.get("messages"))
    words = [answer]
    if not isinstance(answer, str):
        words = [
            message.get("content") for message in answer or () if message.get("role") == "assistant"
        ]
    return [TAGS.sub("", text) for text in words if isinstance(text, str)]
