"""Sees whether rows are divided into turns as the chat template divides a conversation."""

from __future__ import annotations

import contextlib
import re
from dataclasses import dataclass
from typing import Any

from ..answers.rows import Turns
from ..processing import tokenizer_in
from .beginnings import unpadded

CONTENTS = ("first question", "first answer", "second question", "second answer")
ROLES = ("user", "assistant", "user", "assistant")
SIDES = ("input_ids", "chosen_input_ids", "completion_input_ids", "input_ids_chosen")
"""The columns of a batch that hold answers, alone or behind their prompts."""
PROMPT = "prompt_input_ids"
AROUND = 30
"""Characters shown on each side of a place in a row."""


@dataclass(frozen=True)
class Grammar:
    """The texts that a template writes around messages, without spaces around them.

    `heads` begin a turn, that of the user first, that of the assistant last; `end` is what follows
    an answer, empty if that is no special token; `whole` is a conversation as the template writes
    it.
    """

    heads: tuple[str, ...]
    end: str
    whole: str = ""


def turns(tokenizer: Any, rows: list[list[int]]) -> Turns | None:
    """How rows of ids are divided into turns; None if the template has no such marks."""
    words = tokenizer_in(tokenizer)
    grammar = _grammar(words) if rows and getattr(words, "chat_template", None) else None
    if grammar is None:
        return None
    texts = [words.decode(row, skip_special_tokens=False) for row in rows]
    twice = re.compile(_either(grammar.heads) + r"\s*" + _either(grammar.heads))
    opened = [match for text in texts if (match := twice.search(text))]
    special = sorted({*words.all_special_tokens, *words.get_added_vocab()}, key=len, reverse=True)
    after = re.compile(
        re.escape(grammar.end) + r"\s*(?!\s|$|" + _either([*special, *grammar.heads]) + ")"
    )
    begun = re.compile(_either(grammar.heads))
    outside = [
        match
        for text in texts
        if grammar.end and begun.search(text) and (match := after.search(text))
    ]
    return Turns(
        head=grammar.heads[-1],
        end=grammar.end,
        rows=len(rows),
        twice=len(opened),
        outside=len(outside),
        shown=tuple(_around(example[0]) for example in (opened, outside) if example),
        open_at_end=sum(
            ends_with(text, grammar.heads[-1], special) and not _is_empty(text, grammar)
            for text in texts
        ),
        ended_twice=sum(ends_twice(text, grammar, words.pad_token) for text in texts),
    )


def ends_twice(text: str, grammar: Grammar, pad: str | None) -> bool:
    """Whether a turn of a text ends twice, and no template wrote that.

    Ends that follow each other directly may be padding, where both are one token.
    """
    if not grammar.end:
        return False
    end, between = re.escape(grammar.end), r"\s+" if grammar.end == pad else r"\s*"
    twice = re.compile(rf"{end}{between}{end}\s*(?:$|{_either(grammar.heads)})")
    return bool(twice.search(text)) and not twice.search(grammar.whole)


def ends_with(text: str, head: str, special: list[str]) -> bool:
    """Whether nothing but spaces and special tokens is behind the last `head` of a text."""
    text, tokens = text.rstrip(), [token.strip() for token in special]
    while not text.endswith(head):
        token = next((token for token in tokens if token and text.endswith(token)), "")
        if not token:
            return False
        text = text.removesuffix(token).rstrip()
    return True


def _is_empty(text: str, grammar: Grammar) -> bool:
    """Whether the last turn answers a question with nothing, and is ended."""
    asks, answers = grammar.heads[0], grammar.heads[-1]
    before, _, last = text.rpartition(answers)
    answered = before.rfind(answers) > before.rfind(asks)
    return asks != answers and bool(grammar.end) and grammar.end in last and not answered


def of_batch(batch: Any) -> list[list[int]]:
    """The rows of a collated batch, each with its prompt, without padding."""
    name = next((name for name in SIDES if name in batch), None)
    if name is None:
        return []
    rows = side(batch, name)
    prompts = side(batch, PROMPT) if PROMPT in batch else [[] for _ in rows]
    return [
        row if row[: len(prompt)] == prompt else prompt + row for prompt, row in zip(prompts, rows)
    ]


def side(batch: Any, name: str) -> list[list[int]]:
    """The rows of a column of ids in a batch, without padding."""
    ids = batch[name]
    if not hasattr(ids, "tolist"):
        return [list(row) for row in ids]
    return unpadded(ids, batch.get(name.replace("input_ids", "attention_mask")))


def _grammar(tokenizer: Any) -> Grammar | None:
    """What the template writes around messages; None if it begins no answer by a mark."""
    messages = [{"role": role, "content": text} for role, text in zip(ROLES, CONTENTS)]
    with contextlib.suppress(Exception):  # the template's own faults are others' findings
        text = str(tokenizer.apply_chat_template(messages, tokenize=False))
        question = str(tokenizer.apply_chat_template(messages[:1], tokenize=False))
        begun = str(
            tokenizer.apply_chat_template(messages[:1], tokenize=False, add_generation_prompt=True)
        )
        between = re.split("|".join(CONTENTS), text)
        if len(between) != len(CONTENTS) + 1 or not begun.startswith(question):
            return None
        _, answering, asking, _, _ = between
        head = begun[len(question) :]
        if not head.strip() or not answering.endswith(head):
            return None
        end = _special_at(tokenizer, asking)
        own = asking[asking.index(end) + len(end) :].strip() if end else ""
        heads = (own, head.strip()) if own else (head.strip(),)
        if end in heads:
            return None
        return Grammar((*_system(tokenizer, messages[0]), *heads), end, text)
    return None


def _system(tokenizer: Any, message: dict[str, str]) -> tuple[str, ...]:
    """The mark that begins a system message, without a bos token; none where there is no such."""
    with contextlib.suppress(Exception):
        system = {"role": "system", "content": CONTENTS[1]}
        text = str(tokenizer.apply_chat_template([system, message], tokenize=False))
        mark = text.partition(CONTENTS[1])[0].removeprefix(str(tokenizer.bos_token)).strip()
        return (mark,) if _special_at(tokenizer, mark) and CONTENTS[0] not in mark else ()
    return ()


def _special_at(tokenizer: Any, text: str) -> str:
    """The special token that a text begins with, after spaces; "" if it begins with another."""
    stripped = text.lstrip()
    special_tokens = {*tokenizer.all_special_tokens, *tokenizer.get_added_vocab()}
    return max(
        (token for token in special_tokens if token and stripped.startswith(token)),
        key=len,
        default="",
    )


def _either(texts: Any) -> str:
    return "(?:" + "|".join(map(re.escape, texts)) + ")"


def _around(match: re.Match[str]) -> str:
    begin, end = max(0, match.start() - AROUND), match.end() + AROUND
    return match.string[begin:end]
