"""What `from_pretrained` misses, leaves unused and cannot fit, from headers alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ..answers.load import LoadedCheckpoint, OtherShape, TensorCounts
from ..refusal import Refused
from . import config, headers, quantised

MOST = 300
"""The most names of tensors of one kind that are reported."""

OTHER_WEIGHTS = "transformers_weights"
"""Goes before all other files in transformers of 4.53 and later, and may lead to a pickle."""


def examined(request: dict[str, Any], role: str) -> LoadedCheckpoint:
    """What the checkpoint of a role lacks for the class that its trainer loads."""
    folder = Path(request["folders"][role])
    stated, files = config.of_checkpoint(folder), shards(folder)
    if stated.get("quantization_config"):
        quantised.refuse(stated["quantization_config"])
    config.loaded_config(
        folder, request["trust_remote_code"]
    )  # first, as every release of TRL does
    trainer = (request["trainer"] or {}).get("name")
    class_named = bool(request.get("class_named"))
    kind, more = config.class_for(role, stated.get("architectures"), trainer, class_named)
    with headers.only():
        model, loading_info = kind.from_pretrained(
            str(folder),
            device_map={"": "meta"},
            output_loading_info=True,
            ignore_mismatched_sizes=True,
            trust_remote_code=request["trust_remote_code"],
            use_safetensors=True,
            **more,
        )
    stored = headers.shapes(files)
    missing, unused = sorted(loading_info["missing_keys"]), sorted(loading_info["unexpected_keys"])
    others = differing(loading_info["mismatched_keys"], stored, model)
    return LoadedCheckpoint(
        class_name=type(model).__name__,
        tensors=len(stored),
        of_model=len(model.state_dict()),
        counts=TensorCounts(len(missing), len(unused), len(others)),
        missing=tuple(missing[:MOST]),
        unused=tuple(unused[:MOST]),
        differing=tuple(others[:MOST]),
    )


def shards(folder: Path) -> list[Path]:
    """The safetensors files that transformers would load."""
    if OTHER_WEIGHTS in config.mapping(folder / config.FILE):
        raise Refused(f"its config.json names another file of weights ({OTHER_WEIGHTS})")
    single, index = folder / "model.safetensors", folder / "model.safetensors.index.json"
    if single.is_file():
        return [single]
    if not index.is_file():
        raise Refused("there are no safetensors weights")
    try:
        names = set(json.loads(index.read_text("utf-8"))["weight_map"].values())
        files = [folder / name for name in sorted(names)]
    except (ValueError, KeyError, TypeError, AttributeError):
        raise Refused("model.safetensors.index.json names no shards") from None
    for file in files:
        if file.suffix != ".safetensors":
            raise Refused(f"the shard {file.name} is not in safetensors")
        if file.name not in names or not file.is_file():
            raise Refused(f"the shard {file.name} is not there")
    return files


def differing(infos: Any, stored: dict[str, list[int]], model: Any) -> list[OtherShape]:
    """Name, stored shape and the model's shape; some releases report only names."""
    own = {name: list(tensor.shape) for name, tensor in model.state_dict().items()}
    tensors = []
    for info in infos:
        name, stored_shape, own_shape = (info, None, None) if isinstance(info, str) else info
        stored_shape = list(stored_shape) if stored_shape is not None else stored.get(name)
        own_shape = list(own_shape) if own_shape is not None else own.get(name)
        tensors.append(OtherShape(str(name), _tuple(stored_shape), _tuple(own_shape)))
    return sorted(tensors, key=lambda tensor: tensor.name)


def _tuple(shape: list[int] | None) -> tuple[int, ...] | None:
    return None if shape is None else tuple(shape)
