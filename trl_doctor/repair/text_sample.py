"""The token ids of a text sample: what a repair of a tokenizer may not change by accident."""

from __future__ import annotations

SAMPLE = """The quick brown fox doesn't jump over 12,345.67 lazy dogs; it's 8:05 p.m.
    def f(x):\n\treturn {"a": [x**2, 'ünïcödé']}  # naïve
Straße, 北京的天气, 日本語のテキスト, русский текст, العربية, हिन्दी, 🙂👩‍🚀 \u200b end
<|user|> [INST] </s> <think>\n2 + 2 = 4\n</think>"""
"""Words, digits, code, white space, scripts, and what looks like special tokens."""


def token_ids(tokenizer_json: bytes) -> list[int] | str:
    """The ids of `SAMPLE` under a tokenizer.json, or the reason why it cannot be loaded."""
    from tokenizers import Tokenizer

    try:
        ids: list[int] = Tokenizer.from_buffer(tokenizer_json).encode(SAMPLE).ids
    except Exception as error:  # the library raises nothing more particular
        return str(error)
    return ids
