"""Labels of a script's own in rows that were cut at their beginning.

What is left of the prompt is shorter than the prompt. A mask that is still as long as the whole
prompt leaves out the beginning of the answer, or all of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..excerpt import excerpt
from ..letters import letters
from ..sources import Row
from .own_labels import answered, labelled, learned_from

READ = 512
"""Records of each data set that are compared at most."""


def masked_after_cut(read: list[list[Row]], rows: Any, tokenizer: Any) -> list[str] | None:
    """How many rows, of how many, and an answer whose beginning has no label."""
    pairs = [pair for table in read for record in table[:READ] for pair in answered(record)]
    if not pairs or not (first := labelled(rows)):
        return None
    lost = [answer for row in first if (answer := _lost(row, pairs, tokenizer))]
    return [str(len(lost)), str(len(first)), excerpt(lost[0].strip())] if lost else None


def _lost(row: Row, pairs: list[tuple[str, str]], tokenizer: Any) -> str:
    """The row's answer, if the mask lies over its beginning; "" if not."""
    ids, begins = row["input_ids"], learned_from(row)
    if begins is None:
        return ""
    whole = _letters(ids, tokenizer)
    for question, answer in pairs:
        said = letters(answer)
        left = whole.removesuffix(said)
        if left == whole or not _as_long_as_whole(begins, len(ids), left, question, tokenizer):
            continue
        if _letters(ids[begins:], tokenizer) != said:
            return answer
    return ""


def _letters(ids: list[int], tokenizer: Any) -> str:
    return letters(tokenizer.decode(ids, skip_special_tokens=True))


def _as_long_as_whole(masked: int, length: int, left: str, question: str, tokenizer: Any) -> bool:
    """Whether the mask has the length of a whole prompt, of which a part is left in the row."""
    for prompt in _prompts(question, tokenizer):
        asked = _letters(prompt, tokenizer)
        if left != asked and asked.endswith(left) and masked == min(len(prompt), length):
            return True
    return False


def _prompts(question: str, tokenizer: Any) -> Iterator[list[int]]:
    """The tokens of a prompt: with those that begin a text, without, and in the chat template."""
    for marks in (False, True):
        yield tokenizer(question, add_special_tokens=marks)["input_ids"]
    if getattr(tokenizer, "chat_template", None):
        messages = [{"role": "user", "content": question}]
        text = tokenizer.apply_chat_template(messages, add_generation_prompt=True, tokenize=False)
        yield tokenizer(text, add_special_tokens=False)["input_ids"]
