"""Whether a row ends where an answer begins."""

from __future__ import annotations

import pytest

from trl_doctor.probes.watching.turns import ends_with

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
