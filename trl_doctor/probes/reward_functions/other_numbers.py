"""Whether a reward function reads another number than the answer of a completion."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from .calls import Sheet, called
from .of_other_rows import THOUGHT
from .rows import FORMS, Case, all_text, asked_for, cell_text, final

ROWS, SEARCHED = 3, 16
"""Rows that are tried, and in which they are searched."""

GARBAGE = ";; ~ qzx vluw"
"""Garbage without a number."""

REASONS = re.compile(
    r"step[- ]by[- ]step|\breasoning\b|show (?:all )?(?:your|the) work|\bthink\b|chain of thought",
    re.IGNORECASE,
)
"""How a prompt asks for what is written before an answer."""

AFTERWARDS = re.compile(
    r"\bthen,? (?:briefly )?(?:explain|justify)|answer first\b"
    r"|followed by (?:a |an |your |the )?(?:short |brief )?(?:explanation|justification|reason)",
    re.IGNORECASE,
)
"""How a prompt asks for what is written after an answer."""

ALONE = re.compile(
    r"\b(?:only|just|nothing but|no other)\b[^.\n]{0,30}"
    r"\b(?:numbers?|answer|result|integer|digits?)"
    r"|(?:\b(?:no|without|not|never|instead of)|n't)(?: \w+){0,2} (?:think|reason|expla|step)",
    re.IGNORECASE,
)
"""How it asks for a number alone."""

NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?")
LABEL = re.compile(r"(?:^|\n)([A-Z#][\w #]{0,20}[:>]|[A-Z]\))$")
SUM = re.compile(r"(\S+)\s*(=)$")
EXAMPLES = 2
"""Solved examples in a prompt, at least."""


def other_number(
    function: Callable[..., Any], sheet: Sheet, gold: str, limit: int | None
) -> tuple[str, str]:
    """What stands beside the answer, "before", "after" or "example", and a completion with it.

    The function pays for the right answer in some forms, and in each of these it gives what garbage
    gets as soon as there is another number beside the answer, as the prompt asks for it. With the
    same text without a number it still pays. "example" is another example after the answer, as the
    prompt itself has them. `limit` are the tokens of the longest completion; None if a completion
    ends at a text of the script's.
    """
    room = -1 if limit is None else limit
    for kind, pairs_of in (("before", _before), ("after", _after), ("example", _examples)):
        tried: list[str] = []
        for number, row in enumerate(sheet.rows[:SEARCHED]):
            answer = final(cell_text(row[gold])) or cell_text(row[gold])
            pairs = list(pairs_of(row["prompt"], answer)) if NUMBER.fullmatch(answer) else []
            if kind == "example":
                pairs = [pair for pair in pairs if len(sheet.ids(pair[1])) <= room]
            if pairs and len(tried) < ROWS:
                tried.append(_lost(function, sheet, number, pairs))
        if tried and all(tried):
            return kind, tried[0]
    return "", ""


def _lost(
    function: Callable[..., Any], sheet: Sheet, row: int, pairs: Sequence[tuple[str, str]]
) -> str:
    """The shortest text with another number, if no answer that is paid for is so with one."""
    texts = [GARBAGE, "", *(text for pair in pairs for text in pair)]
    rewards = called(function, [Case(row, "", text) for text in texts], sheet)
    if rewards.returned != len(texts):
        return ""
    least = max(rewards.values[:2])
    paid = [
        (other, value)
        for (_, other), with_, value in zip(pairs, rewards.values[2::2], rewards.values[3::2])
        if with_ > least
    ]
    lost = bool(paid) and all(value <= least for _, value in paid)
    return min((text for text, _ in paid), key=len) if lost else ""


def _other(answer: str) -> str:
    """A number that is not the answer, nor a part of it."""
    return next(number for number in "3579" if number not in answer) if len(answer) < 4 else "3"


def _forms(prompt: Any, answer: str) -> list[str]:
    forms = {**FORMS, **asked_for(all_text(prompt))}
    return [form.format(answer) for form in forms.values()]


def _before(prompt: Any, answer: str) -> Iterator[tuple[str, str]]:
    """Answers after a thought without a number, and with one."""
    asked = all_text(prompt)
    if REASONS.search(asked) and not ALONE.search(asked):
        for text in _forms(prompt, answer):
            if THOUGHT in text:
                thoughts = (f"There are {word} of them." for word in ("some", _other(answer)))
                one, other = (text.replace(THOUGHT, thought) for thought in thoughts)
                yield one, other


def _after(prompt: Any, answer: str) -> Iterator[tuple[str, str]]:
    """Answers before a sentence without a number, and with one."""
    asked = all_text(prompt)
    if AFTERWARDS.search(asked) and not ALONE.search(asked):
        for text in _forms(prompt, answer):
            checks = (f" I checked it in {word} ways." for word in ("some", _other(answer)))
            one, other = (text.rstrip() + check for check in checks)
            yield one, other


def _examples(prompt: Any, answer: str) -> Iterator[tuple[str, str]]:
    """Answers to a prompt with examples, and then one more example, as a model goes on."""
    more = continuation(prompt) if isinstance(prompt, str) else ""
    numbers = NUMBER.findall(more)
    if numbers and answer not in (numbers[0], numbers[-1]):
        plain = NUMBER.sub("some", more)
        for start in ("", " "):
            yield f"{start}{answer}{plain}", f"{start}{answer}{more}"


def continuation(prompt: str) -> str:
    """What comes after the first answer in a prompt with examples, up to the second one.

    The prompt ends where each of its examples has the answer: after a label of their lines, or
    after the sign of an equation of one form. "" where there are no two such examples.
    """
    asked = prompt.rstrip()
    if label := LABEL.search(asked):
        cue = re.compile(rf"(?:^|(?<=\n)){re.escape(label[1])}")
    elif (last := SUM.search(asked)) and re.search(r"\d", last[1]):
        form = r"\d+".join(map(re.escape, re.split(r"\d+", last[1])))
        cue = re.compile(rf"(?<!\S){form}\s*=")
    else:
        return ""
    found = list(cue.finditer(asked))
    if len(found) < EXAMPLES + 1:
        return ""
    parts = [(found[at].end(), found[at + 1].start()) for at in range(EXAMPLES)]
    ends = [_end(asked, *part, first=not label) for part in parts]
    return asked[ends[0] : ends[1]] if all(ends) else ""


def _end(text: str, start: int, end: int, *, first: bool) -> int:
    """Where the answer ends that begins here; 0 where it has no number.

    It is the first number, or the last one of the line or paragraph.
    """
    part = text[start:end]
    space = len(part) - len(part.lstrip())
    line = part.strip().split("\n\n" if "\n\n" in part.strip() else "\n")[0]
    numbers = list(NUMBER.finditer(line))
    if not numbers:
        return 0
    return start + space + numbers[0 if first else -1].end()
