"""Whether a row ends where an answer begins, and whether its turns end twice."""

from __future__ import annotations

import pytest

from trl_doctor.probes.watching.turns import Grammar, ends_twice, ends_with

HEAD = "<|im_start|>assistant"
SPACES = [" " * number for number in range(24, 1, -1)]
SPECIAL = ["<|im_start|>", *SPACES, "<|im_end|>", "<pad>"]


@pytest.mark.parametrize(
    "text, ends",
    [
        (f"Why?\n{HEAD}\n", True),
        (f"Why?\n{HEAD}\n<|im_end|>\n<pad> <pad>", True),
        (f"Why?\n{HEAD}\nSo.<|im_end|>", False),
        (f"Why?\n{HEAD}{' ' * 500}So.", False),
        ("Why?", False),
        ("", False),
    ],
)
def test_only_spaces_and_special_tokens_may_follow_the_head(text: str, ends: bool) -> None:
    assert ends_with(text, HEAD, SPECIAL) is ends


def test_a_head_may_be_a_special_token() -> None:
    assert ends_with("Why?<|assistant|>", "<|assistant|>", ["<|assistant|>"])


END = "<|im_end|>"
ONCE = f"{HEAD}\nSo.{END}\n"
GRAMMAR = Grammar(("<|im_start|>user", HEAD), END, ONCE)


@pytest.mark.parametrize(
    "text, pad, twice",
    [
        (f"{ONCE}{END}", "<pad>", True),
        (f"{ONCE}{END}", END, True),
        (f"{ONCE}{END}<|im_start|>user\nWhy?{END}", "<pad>", True),
        (f"So.{END}{END}", "<pad>", True),
        (f"So.{END}{END}", END, False),
        (ONCE, "<pad>", False),
        (f"{END}{END} is the end", "<pad>", False),
    ],
)
def test_a_turn_that_ends_twice(text: str, pad: str, twice: bool) -> None:
    assert ends_twice(text, GRAMMAR, pad) is twice


def test_a_template_may_write_two_ends_or_none() -> None:
    own = Grammar(GRAMMAR.heads, END, f"{ONCE}{END}")
    assert not ends_twice(f"{ONCE}{END}", own, None)
    assert not ends_twice(f"{ONCE}{END}", Grammar(GRAMMAR.heads, ""), None)
