"""Labels of a script's own that learn the user's later turns of a conversation in one text."""

from __future__ import annotations

import re
from typing import Any

from .own_labels import labelled, learned

FEWEST, SHARE = 3, 0.2
"""Rows with such a turn, and their share, at least."""

MARK = re.compile(
    r"\s*(<\|(?:im_start|start_header_id)\|>\s*\w+|<start_of_turn>\s*\w+|<\|[a-z_]+\|>|\[[A-Z]+\]"
    r"|#{0,3} ?\[?[A-Za-z][\w ]{1,20}\]?:)"
)
"""How a turn begins: `USER:`, `### Instruction:`, `<|im_start|>user`, `<|user|>`."""

ASKS = re.compile(
    r"\W*(?:(?:the )?(?:user|human|question|instruction|query|prompt|customer|client|input)s?)?\W*",
    re.IGNORECASE,
)
"""A word before a colon that names one who asks, and no person of a story or part of code."""


def later_questions(rows: Any, tokenizer: Any) -> list[str] | None:
    """How many rows, of how many, and the mark of the user's turns that is learned."""
    first = labelled(rows)
    marks = [mark for row in first if (mark := _learned_mark(row, tokenizer))]
    if len(marks) < max(FEWEST, SHARE * len(first)):
        return None
    return [str(len(marks)), str(len(first)), marks[0]]


def _learned_mark(row: Any, tokenizer: Any) -> str:
    """The mark that begins the row's masked front and a line of what is learned; "" if none."""
    kept = learned(row)
    begins = kept.index(True) if True in kept else 0
    if not begins:
        return ""
    front = tokenizer.decode(row["input_ids"][:begins], skip_special_tokens=False)
    taught = [token for token, here in zip(row["input_ids"], kept) if here]
    marks = [found[1] for line in front.splitlines() if (found := MARK.match(line))]
    if len(marks) < 2 or marks[-1] in marks[:-1]:
        return ""
    lines = tokenizer.decode(taught, skip_special_tokens=False).splitlines()[1:]
    asked, answered = marks[-2:]
    if not front.rstrip().endswith(answered):  # solved examples, and the model writes more of them
        return ""
    if asked.endswith(":") and not ASKS.fullmatch(asked):
        return ""
    begun = [mark for line in lines for mark in marks[-2:] if line.strip().startswith(mark)]
    pairs = (begun[number : number + 2] for number in range(len(begun)))
    return asked if [asked, answered] in pairs else ""
