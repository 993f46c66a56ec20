"""What the library `tokenizers` refuses of a tokenizer.json, told without its vocabulary."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from packaging.version import Version

from trl_doctor.core.finding import Json
from trl_doctor.facts.tokenizer.file import TokenizerJson

PAIRS = Version("4.45")
"""Older releases of transformers come with a tokenizers that reads a merge as one text."""

MODELS = frozenset({"BPE", "Unigram", "WordLevel", "WordPiece", None})
USUAL = frozenset(
    {
        *("BertNormalizer", "BertPreTokenizer", "BertProcessing", "BPEDecoder", "ByteFallback"),
        *("ByteLevel", "CTC", "CharDelimiterSplit", "Digits", "Fuse", "Lowercase", "Metaspace"),
        *("NFC", "NFD", "NFKC", "NFKD", "Nmt", "Precompiled", "Prepend", "Punctuation"),
        *("Replace", "RobertaProcessing", "Sequence", "Split", "Strip", "StripAccents"),
        *("TemplateProcessing", "UnicodeScripts", "Whitespace", "WhitespaceSplit", "WordPiece"),
    }
)
"""The kinds of parts that every release knows: where all are of these the library is not asked."""

EMPTY: dict[str, Json] = {"type": "BPE", "vocab": {}, "merges": []}
"""A model to ask with: that of the file is large, and its words are no part of the question."""


def refused(file: TokenizerJson, transformers: Version) -> str:
    """Why a tokenizer.json is not loaded, with the library's own words; empty if nothing shows.

    The library is asked about the parts beside the model, where one of them is unusual.
    """
    if file.model.type not in MODELS:
        return f"model.type is {file.model.type}, which tokenizers does not know"
    if transformers < PAIRS and b"".join(
        bytes(memoryview(file.model.merges)[:40]).split()
    ).startswith(b"[["):
        return (
            f"its merges are pairs, which the tokenizers of transformers before {PAIRS} refuses "
            "(data did not match any variant of untagged enum ModelWrapper)"
        )
    parts = file.parts
    usual = all(kind in USUAL for part in parts.values() for kind in _kinds(part))
    return "" if usual and not file.truncation else _error({**parts, "truncation": file.truncation})


def _kinds(part: Json) -> Iterator[str]:
    """The kinds of a part and of the parts in it; "" for what is none."""
    if isinstance(part, dict):
        kind = part.get("type")
        yield kind if isinstance(kind, str) else ""
        for name in ("normalizers", "pretokenizers", "processors", "decoders"):
            inner = part.get(name)
            for item in inner if isinstance(inner, list) else ():
                yield from _kinds(item)
    elif part is not None:
        yield ""


def _error(parts: dict[str, Json]) -> str:
    """What the library says to these parts; empty if it takes them."""
    from tokenizers import Tokenizer

    if "Precompiled" in set(_kinds(parts["normalizer"])):
        parts["normalizer"] = None  # the library would panic at a damaged one
    text = msgspec.json.encode({"version": "1.0", "added_tokens": [], **parts, "model": EMPTY})
    try:
        Tokenizer.from_str(text.decode())
    except BaseException as error:  # the library raises nothing more particular
        if isinstance(error, KeyboardInterrupt | SystemExit):
            raise
        return f"tokenizers refuses it: {str(error).partition(' at line')[0]}"
    return ""
