"""Completions of growing length, with growing repetition, and of many kinds."""

from __future__ import annotations

import inspect
import re
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from .calls import Sheet, called
from .own_patterns import samples
from .rows import Case
from .short_forms import short_forms
from .source import bare, call_of, holder, inner, name_of

LENGTHS = (10, 40, 160, 640, 2560)
"""Words of the completions that grow."""

REPEATED = (1, 3, 10)
"""How often each word of a completion is description; all have the same number of words."""

WORDS = 60
KINDS = (
    "First, look.\nStep 1: add.\n1. One\n2. Two\n\nSecond, check.\n- so\n* so\nFinally, done.",
    "# Title\n\n**Bold** and `code`, see https://example.com.\n\n| a | b |\n|---|---|\n| 1 | 2 |",
    "```python\ndef add(a, b):\n    return a + b\n\nprint(add(1, 2))\n```",
    '```json\n{"answer": 1, "name": "x", "arguments": {}}\n```',
    '{"answer": 1}',
    "Wait, let me check that again. Hmm, maybe I am not sure. However, I think so!? Yes.",
    "LOOK AT THIS!!!",
    "\u4f60\u597d \u041f\u0440\u0438\u0432\u0435\u0442 \U0001f600 \u00e9\u00fc\u00df",
    "<think>\nSo.\n</think>\n<think>\nSo.\n</think>\n<answer>\n1\n</answer>\n<answer>\n2\n</answer>",
    '<tool_call>\n{"name": "add", "arguments": {"a": 1}}\n</tool_call>',
    "SELECT name FROM users WHERE id = 1;",
    "You stupid idiot, I hate you. This is terrible, awful and bad.",
    "Thank you, dear friend! This is great, wonderful and good, and I am happy to help you.",
)
"""Completions of many kinds: a function that gives all of these the same may look at none."""

CALLED, TOOLS = ("", "The answer is 1."), 4
"""Texts behind the calls of tools, and tools that are called, at most."""

SECONDS = 1.0
"""Seconds of a series after which no more of it is tried: one slow call says little of the rest."""

PENALTY = re.compile(r"penal|punish", re.IGNORECASE)
DISLIKED = {
    "length": re.compile(
        r"length|\blong|_long|overlong|verbos|too many (?:words|tokens)", re.IGNORECASE
    ),
    "repetition": re.compile(r"repe[ta]|repeat|duplicat|n_?-?gram|redundan", re.IGNORECASE),
}
LIKED = re.compile(
    r"too[ _]short|shorter[ _]than|minim|min_|_min\b|at[ _]least|too[ _]few|brevity|bleu|bonus",
    re.IGNORECASE,
)
"""A function that says this can mean to pay for longer texts."""


def punishes(function: Callable[..., Any]) -> tuple[str, ...]:
    """What it says that it punishes: "length", "repetition"; by its name, and its first sentence.

    Nothing where its source is not known, or says that it punishes texts that are too short.
    """
    body, own = bare(function), type(holder(function))
    is_object = body is call_of(own)
    name = name_of(inner(function))
    texts = (inspect.getdoc(own) if is_object else None, inspect.getdoc(body))
    description = "\n".join((text or "").strip().split("\n\n")[0] for text in texts)
    if not PENALTY.search(name) and not PENALTY.search(description):
        return ()
    try:
        source = inspect.getsource(own if is_object else body)
    except (OSError, TypeError):
        return ()
    if LIKED.search(name) or LIKED.search(source):
        return ()
    by_name = [kind for kind, words in DISLIKED.items() if words.search(name)]
    return tuple(by_name or [kind for kind, words in DISLIKED.items() if words.search(description)])


def of_length(function: Callable[..., Any], sheet: Sheet) -> tuple[float, ...]:
    """The rewards of completions of growing length, all of different words; fewer if it is slow."""
    return _rewards(function, sheet, [[" ".join(different_words(length))] for length in LENGTHS])


def of_repetition(function: Callable[..., Any], sheet: Sheet) -> tuple[float, ...]:
    """The rewards of completions of one length, whose words are repeated more and more."""
    texts = [[" ".join(different_words(WORDS // times) * times)] for times in REPEATED]
    return _rewards(function, sheet, texts)


def of_variety(
    function: Callable[..., Any], sheet: Sheet, gold: str | None = None
) -> tuple[float, ...]:
    """The rewards of completions of many kinds, of some that its patterns match, and of a group.

    With the right answer in short forms, where its column is known. In the group two are alike: a
    function that wants completions to differ looks at all of them. Where a model can call tools,
    some completions have called them.
    """
    right = short_forms(sheet.rows[0], gold)
    alone = [[text] for text in (*right, *KINDS, *samples(function))]
    rewards = _rewards(function, sheet, [*alone, [KINDS[0], KINDS[0], KINDS[1]]])
    for turns in tool_turns(sheet.tools):
        rewards += _rewards(function, sheet._replace(before=turns), [[text] for text in CALLED])
    return rewards


def tool_turns(tools: Sequence[str]) -> Iterator[list[dict[str, Any]]]:
    """Turns of completions that call one tool, all of them, and one that gives an error."""
    calls = [*([name] for name in tools[:TOOLS]), list(tools[:TOOLS])] if tools else []
    for names in calls:
        for answer in ("1", "{'error': 'no'}"):
            turns = [(_call(name), {"role": "tool", "name": name, "content": answer})
                     for name in names]  # fmt: skip
            yield [message for turn in turns for message in turn]


def _call(name: str) -> dict[str, Any]:
    function = {"name": name, "arguments": {}}
    call = {"type": "function", "function": function}
    return {"role": "assistant", "content": "", "tool_calls": [call]}


def _rewards(
    function: Callable[..., Any], sheet: Sheet, calls: Sequence[Sequence[str]]
) -> tuple[float, ...]:
    """The rewards of one call after another, each with its completions of the first row."""
    rewards: list[float] = []
    begun = time.perf_counter()
    for texts in calls:
        try:
            rewards += called(function, [Case(0, "", text) for text in texts], sheet).values
        except Exception:
            break
        if time.perf_counter() - begun > SECONDS:
            break
    return tuple(rewards)


def different_words(count: int) -> list[str]:
    """Different words that mean nothing, of one length."""
    first, second = "bdfgklmnprstvz", "aeiou"
    parts = [a + b for a in first for b in second]
    return [parts[at // len(parts) % len(parts)] + parts[at % len(parts)] for at in range(count)]
