"""Builds the installed trainer around a shrunken policy, to ask it what it would do."""

from __future__ import annotations

import importlib
import inspect
from typing import Any

from ..refusal import Refused
from ..small_model.shrink import Tiny

BUILT = ("grpo", "rloo")
"""Trainers that take a model, reward functions and prompts, and no more."""


def trainer_class(request: dict[str, Any]) -> Any:
    """The class of the run's trainer. Raises `Refused` if it is open or cannot be imported."""
    trainer = request["trainer"]
    if not trainer:
        raise Refused("the trainer is not known")
    try:
        return getattr(importlib.import_module(trainer["module"]), trainer["class"])
    except Exception as error:
        raise Refused(f"{trainer['class']} cannot be imported: {error}") from error


def built(request: dict[str, Any], tiny: Tiny, **sampling: Any) -> Any:
    """The trainer as the run would build it, with the shrunken policy and two prompts.

    Of the run's arguments it has the precision and `sampling`. Raises `Refused`.
    """
    kind, trainer_names = trainer_class(request), request["trainer"]
    parameters = inspect.signature(kind.__init__).parameters
    if trainer_names["name"] not in BUILT or "reward_funcs" not in parameters:
        raise Refused(f"{trainer_names['class']} is not built for this question")
    try:
        return kind(
            model=str(tiny.folder),
            reward_funcs=_no_reward,
            args=_arguments(request, sampling),
            train_dataset=_prompts(),
            **_tokenizer(request),
        )
    except Exception as error:
        message = f"{type(error).__name__}: {error}"
        raise Refused(f"{trainer_names['class']} cannot be built: {message:.300}") from error


def config_of(request: dict[str, Any], **more: Any) -> Any:
    """The run's config with its precision, and as much of `more` as this release takes."""
    trainer, arguments = request["trainer"], request["arguments"]
    config = getattr(importlib.import_module(trainer["module"]), trainer["config"])
    values = {
        "output_dir": "out",
        "use_cpu": True,
        "bf16": arguments.get("bf16") is True,
        "report_to": [],
        **more,
    }
    parameters = inspect.signature(config.__init__).parameters
    return config(**{key: value for key, value in values.items() if key in parameters})


def _arguments(request: dict[str, Any], sampling: dict[str, Any]) -> Any:
    arguments = request["arguments"]
    init = arguments.get("model_init_kwargs")
    init = init if isinstance(init, dict) else {}
    loading = {key: init[key] for key in ("dtype", "torch_dtype") if key in init}
    if request["trust_remote_code"]:
        loading["trust_remote_code"] = True
    return config_of(
        request,
        per_device_train_batch_size=2,
        num_generations=2,
        model_init_kwargs=loading,
        **sampling,
    )


def _tokenizer(request: dict[str, Any]) -> dict[str, Any]:
    """The training tokenizer where it is not the policy's own."""
    from transformers import AutoTokenizer

    folder, trusted = request["folders"]["tokenizer"], bool(request["trust_remote_code"])
    if not folder and not trusted:
        return {}
    place = folder or request["folders"]["policy"]
    own = AutoTokenizer.from_pretrained(place, padding_side="left", trust_remote_code=trusted)
    return {"processing_class": own}


def _prompts() -> Any:
    from datasets import Dataset

    return Dataset.from_dict({"prompt": ["one", "two"]})


def _no_reward(completions: list[Any], **_: Any) -> list[float]:
    return [0.0 for _ in completions]
