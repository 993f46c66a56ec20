"""An empty answer that is ended is no turn that a row leaves open."""

import pytest

from trl_doctor.probes.watching.turns import turns


class Tokenizer:
    """Each row is one id, which is the number of its text."""

    chat_template = "{{ messages }}"
    all_special_tokens = ("<|end|>",)
    pad_token = "<|pad|>"

    def __init__(self, text: str) -> None:
        self.text = text

    def get_added_vocab(self) -> dict[str, int]:
        return {}

    def decode(self, ids: list[int], **more: object) -> str:
        return self.text

    def apply_chat_template(self, messages: list[dict[str, str]], **more: object) -> str:
        text = "".join(f"<|{m['role']}|>\n{m['content']}<|end|>\n" for m in messages)
        return text + "<|assistant|>\n" * bool(more.get("add_generation_prompt"))


ASKED = "<|user|>\nWhy?<|end|>\n"


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (f"{ASKED}<|assistant|>\n<|end|>\n", 0),
        (f"{ASKED}<|assistant|>\nSo.<|end|>\n<|assistant|>\n<|end|>", 1),
        (f"{ASKED}<|assistant|>\nSo.<|end|>\n<|assistant|>\n", 1),
        (f"{ASKED}<|assistant|>\nSo.<|end|>\n", 0),
    ],
)
def test_only_a_turn_behind_an_answer_is_open(text: str, count: int) -> None:
    seen = turns(Tokenizer(text), [[0]])
    assert seen is not None
    assert seen.open_at_end == count
