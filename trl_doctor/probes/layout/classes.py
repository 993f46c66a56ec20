"""The classes that load a policy which sees images, and what prepares its texts and images."""

from __future__ import annotations

from typing import Any

from .arguments import parsed
from .building import SEES
from .habits import Habits
from .pictures import sees

LOADING = "model_init_kwargs"


def classes(request: dict[str, Any], habit: Habits, architecture: str) -> tuple[str, str]:
    """The class of the policy and that of the processor, as source; empty if TRL chooses.

    They are those that a script names, and for a command those of its release.
    """
    import transformers

    if not sees(request["folders"]["policy"]):
        return "", ""
    script = request.get("script") or {}
    loader, processing = (
        class_ if isinstance(class_, str) and hasattr(transformers, class_) else ""
        for class_ in (script.get("model"), script.get("processing"))
    )
    if not loader and habit.by_images and architecture in _see_images():
        loader = SEES
    return loader, processing


def options(loader: str, used: dict[str, Any], stated: dict[str, str]) -> dict[str, str]:
    """What `from_pretrained` is given; what the config says of it goes there with a class."""
    if not loader:
        return stated
    own = parsed(used.pop(LOADING, None))
    return {**stated, **{name: repr(value) for name, value in own.items()}}


def _see_images() -> set[str]:
    """The architectures that `AutoModelForImageTextToText` knows; none in releases without it."""
    try:
        from transformers.models.auto import modeling_auto
    except ImportError:
        return set()
    class_names = getattr(modeling_auto, "MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES", {})
    return {
        name
        for value in class_names.values()
        for name in ([value] if isinstance(value, str) else value)
    }
