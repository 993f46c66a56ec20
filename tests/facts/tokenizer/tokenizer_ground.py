"""What the tests of the tokenizer share: folders of files, read as a release does."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from packaging.version import Version

from trl_doctor.facts.tokenizer import Tokenizer, read_tokenizer
from trl_doctor.files.folder import Folder

FOUR, FIVE = "4.57.6", "5.23.0"

BOTH = (FOUR, FIVE)

LETTERS = [chr(code) for code in range(ord("a"), ord("a") + 20)]

CONFIG, MAP = "tokenizer_config.json", "special_tokens_map.json"


def tokenizer_json(*added: str, vocab: Any = None, model: str = "BPE", **more: Any) -> Any:
    """A tokenizer.json of 20 letters, ids 0 to 19, and added tokens from 20 on."""
    tokens = vocab if vocab is not None else {letter: id for id, letter in enumerate(LETTERS)}
    entries = [
        {"id": len(tokens) + number, "content": token, "special": True, "normalized": False}
        for number, token in enumerate(added)
    ]
    return {
        "added_tokens": entries,
        "model": {"type": model, "vocab": tokens, "merges": []},
        **more,
    }


def decoder(**ids: str) -> dict[str, Any]:
    """An `added_tokens_decoder`: `decoder(_20="<eos>")` claims the id 20 for the token."""
    fields = {"lstrip": False, "rstrip": False, "single_word": False}
    return {
        id[1:]: {"content": token, "special": True, "normalized": False, **fields}
        for id, token in ids.items()
    }


def folder_of(path: Path, files: Mapping[str, Any]) -> Folder:
    for name, content in files.items():
        file = path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            file.write_bytes(content)
        else:
            text = content if isinstance(content, str) else json.dumps(content)
            file.write_text(text, newline="")
    return Folder(path, "model")


def made(path: Path, files: Mapping[str, Any], release: str = FIVE) -> Tokenizer:
    return read_tokenizer(folder_of(path, files), Version(release))


def roles(tokenizer: Tokenizer) -> dict[str, tuple[str, int | None]]:
    return {role.removesuffix("_token"): (t.content, t.id) for role, t in tokenizer.roles.items()}


GENERIC = {"tokenizer_class": "PreTrainedTokenizerFast"}

LLAMA = {"tokenizer_class": "LlamaTokenizerFast"}

QWEN = {"tokenizer_class": "Qwen2Tokenizer"}
