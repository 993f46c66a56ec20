"""What `from_pretrained` misses, leaves unused and cannot fit, told from headers alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ..refusal import Refused
from . import headers

GENERATES = ("ForCausalLM", "LMHeadModel", "ForConditionalGeneration")
MOST = 300
"""Names of tensors told of one kind."""


def examined(request: dict[str, Any], role: str) -> dict[str, Any]:
    """What the checkpoint of a role lacks for the class that its trainer loads.

    "missing" and "unused" are names; "differing" are [name, shape stored, shape of the model].
    Only the first names are told, "counts" has all.
    """
    folder = Path(request["folders"][role])
    config, files = _config(folder), shards(folder)
    if (folder / "adapter_config.json").is_file():
        raise Refused("the folder is a PEFT adapter")
    if config.get("quantization_config"):
        raise Refused("the weights are quantized, and which package loads them is open")
    _known(folder, request["trust_remote_code"])
    kind, more = class_for(request, role, config)
    with headers.only():
        model, told = kind.from_pretrained(
            str(folder),
            device_map={"": "meta"},
            output_loading_info=True,
            ignore_mismatched_sizes=True,
            trust_remote_code=request["trust_remote_code"],
            use_safetensors=True,
            **more,
        )
    stored = headers.shapes(files)
    found = {
        "missing": sorted(told["missing_keys"]),
        "unused": sorted(told["unexpected_keys"]),
        "differing": differing(told["mismatched_keys"], stored, model),
    }
    return {
        "class": type(model).__name__,
        "tensors": len(stored),
        "of_model": len(model.state_dict()),
        "counts": {name: len(names) for name, names in found.items()},
        **{name: names[:MOST] for name, names in found.items()},
    }


def _known(folder: Path, trusted: bool) -> None:
    """Raises what every release of TRL runs into first: the type is not known."""
    import transformers

    transformers.AutoConfig.from_pretrained(str(folder), trust_remote_code=trusted)


def class_for(request: dict[str, Any], role: str, config: dict[str, Any]) -> tuple[Any, Any]:
    """The class with which TRL loads the model of a role, and its further arguments."""
    import transformers

    trainer = (request["trainer"] or {}).get("name")
    if role in ("reward", "value") or trainer == "reward":
        return transformers.AutoModelForSequenceClassification, {"num_labels": 1}
    if trainer == "prm":
        return transformers.AutoModelForTokenClassification, {"num_labels": 2}
    listed = config.get("architectures")
    name = listed[0] if isinstance(listed, list) and listed else None
    if isinstance(name, str) and name.endswith(GENERATES) and hasattr(transformers, name):
        return getattr(transformers, name), {}
    return transformers.AutoModelForCausalLM, {}


def shards(folder: Path) -> list[Path]:
    """The safetensors files that transformers would load."""
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


def differing(told: Any, stored: dict[str, list[int]], model: Any) -> list[list[Any]]:
    """Name, stored shape and the model's shape; some releases tell only names."""
    own = {name: list(tensor.shape) for name, tensor in model.state_dict().items()}
    found = []
    for one in told:
        name, held, wanted = (one, None, None) if isinstance(one, str) else one
        held = list(held) if held is not None else stored.get(name)
        found.append([name, held, list(wanted) if wanted is not None else own.get(name)])
    return sorted(found, key=lambda one: str(one[0]))


def _config(folder: Path) -> dict[str, Any]:
    try:
        config = json.loads((folder / "config.json").read_text("utf-8"))
    except (OSError, ValueError):
        raise Refused("there is no config.json that can be read") from None
    if not isinstance(config, dict):
        raise Refused("config.json is no object")
    return config
