"""Whether an adapter is put on the model that it was trained on."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from ...loading.config import mapping
from .saved_weights import digests_of, of_folder

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
