"""The base model of an adapter that a run names in place of a model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from trl_doctor.core.finding import Json
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.run import Model, Role
from trl_doctor.files.folder import Folder

ADAPTER, CONFIG = "adapter_config.json", "config.json"
TOKENIZER = ("tokenizer.json", "tokenizer_config.json", "tokenizer.model", "vocab.json")
"""What an adapter's folder has where the tokenizer was saved with it."""

Resolve = Callable[[str, str | None], Folder | Unavailable]
"""The folder of a name and a revision."""


def with_bases(models: Mapping[Role, Model], resolve: Resolve) -> dict[Role, Model]:
    """The models, those that are adapters alone with the folder of their base model.

    The adapter's folder is kept beside it. The policy's also gives the tokenizer where it has one
    and the run names no other.
    """
    found: dict[Role, Model] = {role: _followed(model, resolve) for role, model in models.items()}
    policy = found.get("policy")
    if policy and policy.adapter and any(policy.adapter.has(name) for name in TOKENIZER):
        own = Model("tokenizer", policy.name, policy.place, policy.adapter)
        found.setdefault("tokenizer", own)
    return found


def _followed(model: Model, resolve: Resolve) -> Model:
    """The model itself, or what transformers and PEFT load where its folder is an adapter."""
    adapter = model.folder
    try:
        if isinstance(adapter, Unavailable) or adapter.has(CONFIG) or not adapter.has(ADAPTER):
            return model
        found: Folder | Unavailable = _base(adapter, resolve)
    except Unavailable as reason:
        found = reason
    assert isinstance(adapter, Folder)
    return replace(model, folder=found, adapter=adapter)


def _base(adapter: Folder, resolve: Resolve) -> Folder:
    """The folder of an adapter's base model. Raises `Unavailable`."""
    told = adapter.document(ADAPTER)
    name, revision = told.get("base_model_name_or_path"), told.get("revision")
    said = f"{adapter.label} is an adapter, and its base model"
    if not isinstance(name, str) or not name.strip():
        raise Unavailable(f"{said} is not named: {_shown(name)}")
    found = resolve(name, revision if isinstance(revision, str) else None)
    if isinstance(found, Unavailable):
        raise Unavailable(f"{said} {name:.200} is not here: {found}")
    return found


def _shown(name: Json) -> str:
    return f"base_model_name_or_path is {'null' if name is None else repr(name)}"
