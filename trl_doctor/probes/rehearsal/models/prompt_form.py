"""The form of the rows that a trainer has trained on, and prompts that do not have it."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from typing import Any

from ...processing import tokenizer_of

ROWS, FEWEST = 32, 4
"""Rows that are compared, at most and at least."""

IDS = ("input_ids", "prompt_input_ids", "prompt_ids")
"""Columns with the tokens of a row, or of its prompt."""

HEADING = re.compile(r"\s*(#{1,6} \w[\w ]*:?|[A-Z][\w ]{0,30}:)")
"""How somebody marks the beginning of a question: `### Instruction:`, `Question:`."""

LINE = re.compile(rf"^{HEADING.pattern}", re.M)
"""A heading at the beginning of a line."""

ANSWER = re.compile(
    r"\b(answer|response|output|assistant|reply|completion|solution|bot|target)\b", re.I
)
"""What is in the heading of an answer: a document has none."""

LETTERS, WORDS, LONGEST = 20, 4, 6
"""How long a beginning is at least that a template makes; the words of it that are told."""


def form_of(trainer: Any) -> PromptForm | None:
    """The form of the rows of a trainer that has trained; None for a trainer of another kind."""
    try:
        return PromptForm(trainer)
    except Exception:
        return None


class PromptForm:
    """The mark with which all rows of a training begin; `mark` is empty where they have none.

    `others` are headings that all rows have, too, where the mark is the beginning of a sentence.
    """

    def __init__(self, trainer: Any) -> None:
        self.tokenizer = tokenizer_of(trainer)
        self.model = trainer.accelerator.unwrap_model(trainer.model)
        self.mark, self.first = "", ""
        self.texts: list[str] = []
        self.others: tuple[str, ...] = ()
        rows = list(_ids(trainer.train_dataset))
        if len(rows) >= FEWEST:
            self.mark = self._special(rows) or self._heading(rows) or self._sentence(rows)
            self.first = self._first(rows)
            self.texts = [self.tokenizer.decode(row, skip_special_tokens=False) for row in rows]

    def begins_twice(self, prompts: Any) -> bool:
        """Whether all prompts begin with two bos tokens, and the rows of the training with one.

        Another model with this token is not asked so, either.
        """
        bos, pad = self.tokenizer.bos_token_id, self.tokenizer.pad_token_id
        rows = [[number for number in row if number != pad][:2] for row in prompts.tolist()]
        return bool(self.first and rows) and all(row == [bos, bos] for row in rows)

    def never_opened(self, tokenizer: Any, render: Callable[..., Any], own: dict[str, Any]) -> str:
        """What the template writes behind the opening of an answer, where no row has it.

        `render` makes a text of a conversation, `own` are the script's arguments for the template.
        All rows have the opening itself.
        """
        if not self.texts or tokenizer.chat_template != self.tokenizer.chat_template:
            return ""
        closed, opened, asked = (
            str(render(tokenize=False, add_generation_prompt=opens, **more))
            for opens, more in ((False, {}), (True, {}), (True, own))
        )
        opening, more_text = opened[len(closed) :].strip(), asked[len(opened) :].strip()
        if not opened.startswith(closed) or not asked.startswith(opened) or not more_text:
            return ""
        mark = more_text.split()[0]  # rows with thoughts of their own are of another mode
        known = [opening in text and mark not in text for text in self.texts]
        return more_text if all(known) else ""

    def _first(self, rows: list[list[int]]) -> str:
        """The bos token, if all rows begin with one of it, or none with more than one."""
        bos, pad = self.tokenizer.bos_token_id, self.tokenizer.pad_token_id
        if bos is None or bos == pad or any(row[:2] == [bos, bos] for row in rows):
            return ""
        return str(self.tokenizer.bos_token)

    def lacks(self, model: Any, prompts: Any) -> bool:
        """Whether this model has learnt rows with a mark, and none of the prompts has it."""
        if not self.mark or not self._is_trained(model):
            return False
        texts = [self.tokenizer.decode(row, skip_special_tokens=False) for row in prompts]
        marks = (self.mark, *self.others)
        return bool(texts) and not any(mark in text for text in texts for mark in marks)

    def _is_trained(self, model: Any) -> bool:
        """Whether it is the model of the trainer, or one around it or in it."""
        if model is self.model:
            return True
        own = next(iter(self.model.parameters()), None)
        return own is not None and any(weight is own for weight in model.parameters())

    def _special(self, rows: list[list[int]]) -> str:
        """The first special token that all rows have near their beginnings, of those of turns."""
        usual = {self.tokenizer.bos_token_id, self.tokenizer.eos_token_id,
                 self.tokenizer.pad_token_id}  # fmt: skip
        added = self.tokenizer.added_tokens_decoder
        for number in rows[0][:3]:
            if number in added and number not in usual and all(number in row[:3] for row in rows):
                return str(added[number])
        return ""

    def _heading(self, rows: list[list[int]]) -> str:
        """The heading with which all rows begin."""
        texts = [self.tokenizer.decode(row[:48], skip_special_tokens=True) for row in rows]
        heading = HEADING.match(texts[0])
        common = heading is not None and all(text.startswith(heading[0]) for text in texts)
        return heading[1] if heading and common else ""

    def _sentence(self, rows: list[list[int]]) -> str:
        """The words with which all rows begin, if these have the heading of an answer as well."""
        texts = [self.tokenizer.decode(row, skip_special_tokens=True) for row in rows]
        sides = zip(*(text.split(" ") for text in texts))
        words = [side[0] for side in itertools.takewhile(lambda side: len(set(side)) == 1, sides)]
        headings = {match[1] for match in LINE.finditer(texts[0])}
        self.others = tuple(sorted(one for one in headings if all(one in text for text in texts)))
        mark = " ".join(words[:LONGEST])
        fits = len(words) >= WORDS and len(mark) >= LETTERS
        return mark if fits and any(map(ANSWER.search, self.others)) else ""


def _ids(rows: Any) -> Iterator[list[int]]:
    for row in itertools.islice(iter(rows), ROWS):
        ids = next((row[name] for name in IDS if row.get(name)), None)
        if ids is None:
            return
        yield list(ids)
