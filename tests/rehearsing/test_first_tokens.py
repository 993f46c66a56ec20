"""Masks that begin one token behind the mark of an answer, by accident and on purpose."""

from __future__ import annotations

from typing import Any

import pytest

from trl_doctor.probes.rehearsal.rows.labels.first_tokens import first_tokens_lost

ASKS, ANSWERS, ENDS = "<user>", "<bot>", "<end>"
SAID = ("forty two", "ten", "blue", "no idea")


class Tokenizer:
    """Tokens of three characters at most; marks are one each."""

    def apply_chat_template(
        self, messages: list[dict[str, str]], *, tokenize: bool, add_generation_prompt: bool = False
    ) -> str:
        text = "".join(f"{ASKS}{message['content']}{ENDS}" for message in messages)
        return text + (ANSWERS if add_generation_prompt else "")

    def pieces(self, text: str) -> list[str]:
        """The tokens of a text, as texts."""
        return [text[at : at + 3] for at in range(0, len(text), 3)]

    def decode(self, ids: list[str], skip_special_tokens: bool = False) -> str:
        return "".join(ids)


def row(answers: tuple[str, ...], skipped: int, of: Any = None) -> dict[str, list[Any]]:
    """A conversation in which as many tokens of each answer have no label."""
    tokenizer, ids, labels = Tokenizer(), list[Any](), list[Any]()
    for answer in answers:
        front = [ASKS, "why", ENDS, ANSWERS]
        own = tokenizer.pieces(answer)
        left = skipped if of is None or answer in of else 0
        ids += [*front, *own, ENDS]
        labels += [-100] * (len(front) + left) + own[left:] + [ENDS]
    return {"input_ids": ids, "labels": labels}


@pytest.mark.parametrize(
    ("answers", "skipped", "of", "found"),
    [
        (SAID, 1, None, ["3", "3", "for", "forty two"]),
        (SAID, 0, None, None),
        (SAID, 2, None, None),
        (SAID, 1, ("blue",), None),
        (("A: yes", "B: no", "C: so"), 1, None, None),
        (("thinking of it", "thinking of that", "thinking"), 1, None, None),
    ],
)
def test_first_tokens(
    answers: tuple[str, ...], skipped: int, of: Any, found: list[str] | None
) -> None:
    rows = [row(answers, skipped, of)]
    assert first_tokens_lost(rows, Tokenizer()) == found
