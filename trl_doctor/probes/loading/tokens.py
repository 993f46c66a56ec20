"""The tokenizer that transformers makes of a folder, held against the folder's tokenizer.json."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from ..answers.load import LoadedTokenizer, NotRendered
from ..refusal import Refused
from . import encoding, ways

SAMPLES = (
    "The quick brown fox doesn't jump over 12,345.67 lazy dogs; it's 8:05 p.m. in 2024.",
    "def f(x):\n\treturn {'a': [x**2, \"naive\"]}  # one\n\n    if x>=10:\n        print(x)\n",
    "  two spaces before, three   within, and a line's end behind\n",
    "\n\nWhat is 123 plus 4567?\r\n\r\n- 1st\n- 2nd",
    "Straße, façade, naïve, cafe\u0301 and café; ﬁne print №5",
    "北京的天气怎么样？我们去看看。",
    "日本語のテキストとカタカナ、안녕하세요 세계",
    "русский текст, ελληνικά, العربية مكتوبة, हिन्दी में",
    "🙂👩\u200d🚀 and \u200b zero width, – dashes — “quotes” …",
    "$\\frac{1}{2} + \\sqrt{x_1^2} \\leq \\boxed{42}$",
    "HELLO World camelCase snake_case https://example.org/a?b=c&d=1",
)
"""Scripts, digits, code and white space that classes of tokenizers cut differently."""

FILES = ("tokenizer_config.json", "tokenizer.json", "special_tokens_map.json", "tokenizer.model",
         "vocab.json", "vocab.txt")  # fmt: skip


def examined(request: dict[str, Any]) -> LoadedTokenizer:
    """The class, its length and special tokens, how it encodes and how it renders chats."""
    folders = request["folders"]
    source = folders.get("tokenizer") or folders.get("policy")
    if not source:
        raise Refused("the run names no tokenizer")
    folder = Path(source)
    if not any((folder / name).is_file() for name in FILES):
        raise Refused("there are no tokenizer files")
    name, trusted = request.get("hub", {}).get(source), request["trust_remote_code"]
    loaded = encoding.load(folder, trusted, name, request.get("side"))
    chat = chats(loaded, request.get("chat") or {})
    result = LoadedTokenizer(
        type(loaded).__name__, len(loaded), encoding.special_tokens(loaded), chat
    )
    raw = raw_tokenizer(folder)
    if raw is None:
        return result
    texts = [*SAMPLES, *comparable(loaded, raw, chat)]
    differs = encoding.differences(loaded, raw, texts)
    tried = ways.tried(folder, loaded, raw, texts) if differs else []
    return dataclasses.replace(
        result, samples=len(texts), differs=tuple(differs), tried=tuple(tried)
    )


def raw_tokenizer(folder: Path) -> Any:
    """The tokenizer that the library tokenizers reads from tokenizer.json; None if there is no such
    file.
    """
    from tokenizers import Tokenizer

    file = folder / "tokenizer.json"
    if not file.is_file():
        return None
    raw = Tokenizer.from_file(str(file))
    raw.no_truncation()
    raw.no_padding()
    return raw


def comparable(loaded: Any, raw: Any, rendered: dict[str, Any]) -> list[str]:
    """The rendered chats, where every added token of the folder is one of tokenizer.json too."""
    added = loaded.get_added_vocab()
    if any(raw.token_to_id(token) != id for token, id in added.items()):
        return []
    return [text for text in rendered.values() if isinstance(text, str) and text]


def chats(loaded: Any, conversations: dict[str, Any]) -> dict[str, str | NotRendered]:
    """The conversations that were asked for as `apply_chat_template` renders them."""
    rendered: dict[str, str | NotRendered] = {}
    for name, conversation in conversations.items():
        try:
            rendered[name] = loaded.apply_chat_template(
                conversation["messages"],
                tokenize=False,
                add_generation_prompt=conversation["prompt"],
                **conversation["variables"],
            )
        except Exception as error:
            rendered[name] = NotRendered(f"{type(error).__name__}: {error}"[:300])
    return rendered
