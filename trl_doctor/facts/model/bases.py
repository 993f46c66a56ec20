"""The base model of an adapter that a run names as its model."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec.structs import replace

from trl_doctor.core.finding import Json
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.run import Model, Role
from trl_doctor.files.folder import Folder

ADAPTER, CONFIG = "adapter_config.json", "config.json"
TOKENIZER = ("tokenizer.json", "tokenizer_config.json", "tokenizer.model", "vocab.json")
"""Files that an adapter's folder has if the tokenizer was saved with it."""

Resolve = Callable[[str, str | None], Folder | Unavailable]
"""Returns the folder of a name and a revision."""


def with_bases(models: Mapping[Role, Model], resolve: Resolve) -> dict[Role, Model]:
    """The models by role. A model that is only an adapter gets the folder of its base model.

    The adapter's folder is kept in `Model.adapter`. If the policy's adapter has a tokenizer, and
    the run names no other, this tokenizer is used.
    """
    followed: dict[Role, Model] = {
        role: _followed(model, resolve) for role, model in models.items()
    }
    policy = followed.get("policy")
    if policy and policy.adapter and any(policy.adapter.has(name) for name in TOKENIZER):
        tokenizer = Model("tokenizer", policy.name, policy.place, policy.adapter)
        followed.setdefault("tokenizer", tokenizer)
    return followed


def _followed(model: Model, resolve: Resolve) -> Model:
    """The model itself; if its folder is an adapter, the base model that PEFT loads."""
    adapter = model.folder
    try:
        if isinstance(adapter, Unavailable) or adapter.has(CONFIG) or not adapter.has(ADAPTER):
            return model
        base: Folder | Unavailable = _base(adapter, resolve)
    except Unavailable as reason:
        base = reason
    assert isinstance(adapter, Folder)
    return replace(model, folder=base, adapter=adapter)


def _base(adapter: Folder, resolve: Resolve) -> Folder:
    """The folder of an adapter's base model. Raises `Unavailable`."""
    config = adapter.document(ADAPTER)
    name, revision = config.get("base_model_name_or_path"), config.get("revision")
    subject = f"{adapter.label} is an adapter, and its base model"
    if not isinstance(name, str) or not name.strip():
        raise Unavailable(f"{subject} is not named: {_shown(name)}")
    folder = resolve(name, revision if isinstance(revision, str) else None)
    if isinstance(folder, Unavailable):
        raise Unavailable(f"{subject} {name:.200} is not here: {folder}")
    return folder


def _shown(name: Json) -> str:
    return f"base_model_name_or_path is {'null' if name is None else repr(name)}"
