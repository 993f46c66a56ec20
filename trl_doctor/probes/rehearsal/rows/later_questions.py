"""Labels of a script's own that learn the user's later turns of a conversation in one text."""

from __future__ import annotations

import itertools
import re
from typing import Any

COMPARED, FEWEST, SHARE = 48, 3, 0.2
"""Rows that are compared at most; those with such a turn, and their share, at least."""

MARK = re.compile(
    r"\s*(<\|(?:im_start|start_header_id)\|>\s*\w+|<start_of_turn>\s*\w+|<\|[a-z_]+\|>|\[[A-Z]+\]"
    r"|#{0,3} ?\[?[A-Za-z][\w ]{1,20}\]?:)"
)
"""How a turn begins: `USER:`, `### Instruction:`, `<|im_start|>user`, `<|user|>`."""


def later_questions(rows: Any, tokenizer: Any) -> list[str] | None:
    """How many rows, of how many, and the mark of the user's turns that is learned."""
    labelled = [row for row in itertools.islice(iter(rows), COMPARED)
                if "input_ids" in row and "labels" in row]  # fmt: skip
    marks = [mark for row in labelled if (mark := _learned_mark(row, tokenizer))]
    if len(marks) < max(FEWEST, SHARE * len(labelled)):
        return None
    return [str(len(marks)), str(len(labelled)), marks[0]]


def _learned_mark(row: Any, tokenizer: Any) -> str:
    """The mark that begins the row's masked front and a line of what is learned; "" if none."""
    kept = [label != -100 for label in row["labels"]]
    begins = kept.index(True) if True in kept else 0
    if not begins:
        return ""
    front = tokenizer.decode(row["input_ids"][:begins], skip_special_tokens=False)
    learned = [token for token, here in zip(row["input_ids"], kept) if here]
    marks = [found[1] for line in front.splitlines() if (found := MARK.match(line))]
    if len(marks) < 2 or marks[-1] in marks[:-1]:
        return ""
    lines = tokenizer.decode(learned, skip_special_tokens=False).splitlines()
    asked = marks[-2]
    return asked if any(line.strip().startswith(asked) for line in lines[1:]) else ""
