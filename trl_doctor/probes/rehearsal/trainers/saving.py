"""Saves the trained model as the job would, and loads it again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...loading.config import ADAPTER, FILE
from ..order import Order
from ..record import Record, rank, world
from ..settings.deepspeed import alone
from ..where import frames

MOST = 5
"""The most names of weights that are reported."""


WEIGHTS = ("model.safetensors", "pytorch_model.bin")
"""What the trainer saves of a class that is no model of transformers: it has no config."""


OF_PEFT = "base_model.model."
"""How the names of saved weights begin. Those of a model with `add_adapter` do not begin so."""


class NothingSaved(RuntimeError):
    """What the trainer saved is no model folder: shards of a state, or nothing."""


def tried(trainer: Any, order: Order, record: Record) -> None:
    """Report whether the saved model loads again, and is the same."""
    folder = order.scratch / f"saved-{record.trainer}"
    try:
        trainer.save_model(str(folder))
        if rank():
            return
        model = _plain(trainer)
        adapter = _adapter_name(model)
        own = folder if adapter in ("", "default") else folder / adapter
        if not any((own / name).is_file() for name in (FILE, ADAPTER)):
            if any((own / name).is_file() for name in WEIGHTS):
                return
            raise NothingSaved("trainer.save_model() wrote no model that can be loaded again")
        # get_peft_model leaves a config on its base model, which is saved as a whole
        alone_saved = bool(adapter) and (own / ADAPTER).is_file()
        saved = _adapter(model, adapter, own) if alone_saved else _whole(model, folder)
    except Exception as error:
        record.add("saved", loads=False, type=type(error).__name__, message=str(error),
                   frames=frames(error))  # fmt: skip
        return
    record.add("saved", loads=True, **saved)


def _plain(trainer: Any) -> Any:
    model = trainer.accelerator.unwrap_model(trainer.model)
    return getattr(model, "policy", model)


def _adapter_name(model: Any) -> str:
    """The active adapter, "" without one. PEFT saves it in a folder of its name, but "default"."""
    if not hasattr(model, "peft_config"):
        return ""
    active = getattr(model, "active_adapter", "default")
    return active if isinstance(active, str) else str(active[0])


def _whole(model: Any, folder: Path) -> dict[str, Any]:
    """Which weights differ in the model as it was loaded again; of a sharded one only the names."""
    with alone():
        again = type(model).from_pretrained(str(folder))
    before, after = model.state_dict(), again.state_dict()
    lacking = sorted(set(before) ^ set(after))
    if world() > 1:
        return {"lacking": lacking[:MOST], "differing": []}
    both = [name for name in before if name in after]
    differing = [name for name in both if not _same(before[name], after[name])]
    return {"lacking": lacking[:MOST], "differing": differing[:MOST]}


def _adapter(model: Any, name: str, folder: Path) -> dict[str, Any]:
    """The same of an adapter's weights."""
    from peft import get_peft_model_state_dict
    from peft.utils import load_peft_weights

    before = get_peft_model_state_dict(model, adapter_name=name)
    after = load_peft_weights(str(folder), device="cpu")
    names = {text.removeprefix(OF_PEFT) for text in after}
    lacking = sorted({text.removeprefix(OF_PEFT) for text in before} - names)
    return {"lacking": lacking[:MOST], "differing": []}


def _same(left: Any, other: Any) -> bool:
    import torch

    if left.shape != other.shape:
        return False
    weights = left.detach().float().cpu(), other.detach().float().cpu()
    return bool(torch.allclose(*weights, rtol=0, atol=0, equal_nan=True))
