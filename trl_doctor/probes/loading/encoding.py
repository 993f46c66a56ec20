"""Tokenizers as a run loads them, and which texts they encode otherwise than tokenizer.json."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

from ..answers.load import Difference
from . import config

ROLES = ("pad_token", "eos_token", "bos_token", "unk_token")


def load(folder: Path, trusted: bool, name: str | None = None, side: str | None = None) -> Any:
    """The tokenizer as a trainer loads it; `name` is the Hub id under which it knows the folder.

    `side` is the padding side that the trainer asks for, None if that is the files' own.
    """
    from transformers import AutoTokenizer

    more: dict[str, Any] = {"padding_side": side} if side else {}
    if name:
        with contextlib.suppress(ValueError, OSError):
            more["config"] = config.loaded_config(folder, trusted)
            more["config"]._name_or_path = name
    return AutoTokenizer.from_pretrained(str(folder), trust_remote_code=trusted, **more)


def of_training(request: dict[str, Any]) -> Any:
    """The tokenizer that the run trains with."""
    folder = request["folders"].get("tokenizer") or request["folders"]["policy"]
    return load(Path(folder), bool(request["trust_remote_code"]))


def special_tokens(loaded: Any) -> dict[str, tuple[str, int | None]]:
    """The special tokens by role, with their ids."""
    roles = [role for role in ROLES if getattr(loaded, role, None) is not None]
    return {role: (str(getattr(loaded, role)), getattr(loaded, f"{role}_id")) for role in roles}


def differences(loaded: Any, raw: Any, texts: list[str]) -> list[Difference]:
    """The texts that get other ids than tokenizer.json gives: the tokens from there on."""
    pairs = []
    for text in texts:
        ids = loaded(text, add_special_tokens=False)["input_ids"]
        expected = raw.encode(text, add_special_tokens=False).ids
        if list(ids) != expected:
            at = apart(list(ids), expected)
            pairs.append(
                Difference(
                    text=text,
                    at=at,
                    made=tuple(loaded.convert_ids_to_tokens(list(ids[at : at + 6]))),
                    meant=tuple(raw.id_to_token(id) for id in expected[at : at + 6]),
                    lengths=(len(ids), len(expected)),
                    read_back=loaded.decode(ids, clean_up_tokenization_spaces=False) == text,
                )
            )
    return pairs


def apart(left: list[int], other: list[int]) -> int:
    """The first index at which two lists differ."""
    shorter = min(len(left), len(other))
    return next((at for at in range(shorter) if left[at] != other[at]), shorter)
