"""Whether a reward function asks for a tag that the prompt has opened already."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from .calls import Sheet, rewards_of
from .rows import GARBAGE, MADE, all_text, cell_text, tagged

OPEN = re.compile(r"<([A-Za-z_]{1,30})>\s*$")
TAILS = ("The answer is $\\boxed{ANSWER}$.", "<answer>~ANSWER~</answer>", "ANSWER")
"""What can follow the closed tag; a wave is a line break, or nothing."""

ROWS = 2


def opened_tag(text: str) -> str:
    """The tag that is open at the end of a rendered prompt; "" without one."""
    match = OPEN.search(text[-100:])
    return match[1] if match else ""


def rendered(processing_class: Any, prompt: Any, more: dict[str, Any]) -> str:
    """A prompt as the trainer gives it to the model; "" where that is not known."""
    if isinstance(prompt, str):
        return prompt
    if not isinstance(prompt, list) or not prompt or prompt[-1].get("role") == "assistant":
        return ""
    try:
        return str(processing_class.apply_chat_template(
            prompt, add_generation_prompt=True, tokenize=False, **more))  # fmt: skip
    except Exception:
        return ""


def asks_for(function: Callable[..., Any], sheet: Sheet, tag: str, gold: str | None) -> bool:
    """Whether answers after the open tag get what garbage gets, and more with the tag once more."""
    found = False
    for number in range(min(ROWS, len(sheet.rows))):
        pairs = list(_pairs(sheet.rows[number], tag, gold))
        texts = ["", GARBAGE, *(text for pair in pairs for text in pair)]
        values = rewards_of(function, texts, sheet, number)
        if not values:
            return False
        least = max(values[:2])
        whole, alone = values[2::2], values[3::2]
        paid = [after for before, after in zip(whole, alone) if before > least]
        if any(not after <= least for after in paid):
            return False
        found = found or bool(paid)
    return found


def _pairs(row: dict[str, Any], tag: str, gold: str | None) -> Iterator[tuple[str, str]]:
    """Answers with the whole tag, and what of them a model writes after the opened one."""
    answer = (cell_text(row[gold]) if gold else "") or MADE
    start = f"<{tag}>"
    for space in ("\n", ""):
        head = f"{start}{space}Let me see.{space}</{tag}>{space}"
        for tail in TAILS:
            text = head + tail.replace("~", space).replace("ANSWER", answer)
            yield from _after(text, start)
    for form in tagged(all_text(row["prompt"])).values():
        text = form.format(answer)
        if text.startswith(start):
            yield from _after(text, start)


def _after(text: str, start: str) -> Iterator[tuple[str, str]]:
    """A text, and what of it follows its start; the prompt may end with the line break, or not."""
    rest = text[len(start) :]
    yield text, rest
    yield text, rest.lstrip("\n")
