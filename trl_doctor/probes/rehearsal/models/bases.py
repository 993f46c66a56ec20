"""Whether an adapter fits the model that it is put on."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from ...loading.config import mapping
from ...loading.headers import shapes
from .saved_weights import digests_of, of_folder

FILES = "adapter_model*.safetensors"
ADAPTER, BASE = "adapter_config.json", "base_model_name_or_path"


def other_base(model: Any, adapter: str, saved_by_script: Any) -> str | None:
    """The folder of the model that an adapter was trained on, if this one has other weights.

    Only models that the script has saved are compared: `saved_by_script` gives their folders.
    """
    base = mapping(Path(adapter) / ADAPTER).get(BASE)
    folder = saved_by_script(str(base)) if base else None
    if folder is None or not Path(folder).is_dir() or hasattr(model, "peft_config"):
        return None
    loaded = str(getattr(getattr(model, "config", None), "_name_or_path", "") or ".")
    if os.path.realpath(loaded) == os.path.realpath(folder):  # perhaps in another dtype
        return None
    trained, _ = of_folder(Path(folder))
    here = {digest for digests in digests_of(model).values() for digest in digests}
    return str(base) if trained and not trained <= here else None


def without_place(model: Any, adapter: str) -> list[str]:
    """The weights of an adapter's file, if the model that it was put on has a name of none.

    The number of a layer does not count: a small model has fewer of them.
    """
    from peft import get_peft_model_state_dict

    own = get_peft_model_state_dict(model, adapter_name=str(model.active_adapter))
    names = [name for name in shapes(Path(adapter).glob(FILES)) if "lora_" in name]
    places = {_numberless(name) for name in own}
    return names if places and places.isdisjoint(map(_numberless, names)) else []


def is_adapted(model: Any) -> bool:
    """Whether a model is an adapter with its base model, and not the base model alone."""
    return hasattr(model, "peft_config") and type(model).__module__.startswith("peft.")


def _numberless(name: str) -> str:
    return re.sub(r"\.\d+\.", ".", name)
