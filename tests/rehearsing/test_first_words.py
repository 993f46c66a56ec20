"""Labels that begin behind the first word of an answer, by accident and on purpose."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from trl_doctor.probes.rehearsal.rows.labels.first_words import first_words_lost

WORDS = ("seven", "eight", "nine", "ten")
RECORDS = [{"question": f"What is number {word}?", "answer": f"{word} it is"} for word in WORDS]


class Tokenizer:
    """One token a word, with the space before it; a space at the end is one of its own."""

    def __init__(self) -> None:
        self.texts = list[str]()

    def __call__(self, text: str, add_special_tokens: bool = True) -> dict[str, list[int]]:
        parts, word = list[str](), ""
        for letter in text:
            if letter == " " and word:
                parts.append(word)
                word = ""
            word += letter
        return {"input_ids": [self._number(part) for part in (*parts, word)]}

    def _number(self, text: str) -> int:
        self.texts += [] if text in self.texts else [text]
        return self.texts.index(text)

    def decode(self, ids: list[int], skip_special_tokens: bool = False) -> str:
        return "".join(self.texts[at] for at in ids)


def lost(front: Callable[[Any], str]) -> list[str] | None:
    """What is found where the tokens of the front have no label."""
    tokenizer, rows = Tokenizer(), list[dict[str, list[int]]]()
    for record in RECORDS:
        ids = tokenizer(f"{record['question']} {record['answer']}")["input_ids"]
        size = len(tokenizer(front(record))["input_ids"])
        rows.append({"input_ids": ids, "labels": [-100] * size + ids[size:]})
    return first_words_lost([RECORDS], rows, tokenizer)


def test_a_prompt_that_ends_in_a_space() -> None:
    assert lost(lambda record: record["question"] + " ") == ["4", "4", "seven"]
    assert lost(lambda record: record["question"]) is None
