"""The folder of a model that the script makes of a config alone: for the rules, as one on disk."""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...processing import given_processing
from ..models.small import Small
from ..record import as_json
from .live import GENERATION, named, saved_tokenizer

DTYPES = {"float32": "F32", "float16": "F16", "bfloat16": "BF16", "float64": "F64"}
"""Torch's names of dtypes, and those in a file of safetensors."""


def made_of_config(arguments: dict[str, Any], small: Small, into: Path) -> str | None:
    """A folder with its config, the shapes of its weights, and its tokenizer.

    Also of one that is loaded from where an earlier trainer has saved such a model. None for a
    policy that is loaded from files, and where it cannot be written: a model of a class that the
    script has written, and one without a tokenizer. The weights have no values: the file is as
    long as they are, and takes no space.
    """
    model, into = arguments.get("model"), into.with_suffix("")
    tokenizer = given_processing(arguments)
    tokenizer = tokenizer or getattr(arguments.get("data_collator"), "tokenizer", None)
    name = named(model)
    with contextlib.suppress(Exception):  # without it the policy is not known
        if not isinstance(name, str):
            return _folder_of(model, tokenizer, into)
        saved, origins = small.made_by_script(name), small.origins
        alone = origins.of(name) != name and not origins.has_weights(name)
        if saved and origins.of(name) == name:
            shutil.copytree(saved, into)
            saved_tokenizer(tokenizer, into)
            return str(into) if any(into.glob("tokenizer*")) else None
        if model is not name and (alone or (not saved and name not in origins.with_weights)):
            return _folder_of(model, tokenizer, into)
    return None


def _folder_of(model: Any, tokenizer: Any, into: Path) -> str | None:
    config: Any = getattr(model, "config", None)
    kind = _library_class(type(model))
    if getattr(model, "peft_config", None) or not hasattr(config, "to_dict") or kind is None:
        return None
    if not saved_tokenizer(tokenizer, into):
        return None
    values = {**config.to_dict(), "architectures": [kind], "dtype": _dtype(model.dtype)}
    _write(into / "config.json", {name: as_json(value) for name, value in values.items()})
    generation = getattr(model, "generation_config", None)
    ends = {name: getattr(generation, name, None) for name in GENERATION}
    _write(into / "generation_config.json",
           {name: as_json(value) for name, value in ends.items() if value is not None})  # fmt: skip
    _write_weights(model, into / "model.safetensors")
    return str(into)


def _library_class(kind: type) -> str | None:
    """The name of the class of transformers that a model is of, or that its class extends."""
    known = (one for one in kind.__mro__ if one.__module__.startswith("transformers.models."))
    return next((one.__name__ for one in known), None)


def _write(file: Path, values: dict[str, Any]) -> None:
    file.write_text(json.dumps(values, indent=2), "utf-8")


def _dtype(dtype: Any) -> str:
    return str(dtype).rpartition(".")[2]


def _write_weights(model: Any, file: Path) -> None:
    """The head of a file of safetensors, and a hole in place of the values."""
    head: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    end = 0
    for name, weight in _weights(model):
        begun, end = end, end + weight.numel() * weight.element_size()
        head[name] = {"dtype": DTYPES[_dtype(weight.dtype)], "shape": list(weight.shape),
                      "data_offsets": [begun, end]}  # fmt: skip
    text = json.dumps(head).encode()
    with file.open("wb") as stream:
        stream.write(len(text).to_bytes(8, "little") + text)
        stream.truncate(8 + len(text) + end)


def _weights(model: Any) -> Iterator[tuple[str, Any]]:
    """Each weight once: of tied ones the first."""
    seen = set()
    for name, weight in model.state_dict().items():
        if weight.data_ptr() not in seen and _dtype(weight.dtype) in DTYPES:
            seen.add(weight.data_ptr())
            yield name, weight
