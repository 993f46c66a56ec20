"""What training holds in memory, part by part, and how long each of its steps takes."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any


class Held:
    """A watcher of optimizers' steps: the size of gradients and the time of each step.

    `device` is "cuda" or "cpu"; on the CPU the peak is that of the whole process.
    """

    def __init__(self, device: str) -> None:
        self.on_gpu = device == "cuda"
        self.gradients = 0
        self.ends: list[float] = []
        self.left: list[int] = []
        self.start = time.perf_counter()

    def begin(self) -> None:
        """The models are loaded: what follows are steps."""
        self.start = time.perf_counter()

    def before(self, optimizer: Any, *_: Any) -> None:
        """Add up the gradients."""
        held = (one.grad for group in optimizer.param_groups for one in group["params"])
        self.gradients = max(self.gradients, size(one for one in held if one is not None))

    def after(self, *_: Any) -> None:
        """Note the time, and what is left on the GPU."""
        if self.on_gpu:
            _cuda().synchronize()
            self.left.append(int(_cuda().memory_allocated()))
        self.ends.append(time.perf_counter())

    def found(self, trainer: Any) -> dict[str, Any]:
        """Bytes by part, the peak, and the seconds of every step that was made."""
        begins = [self.start, *self.ends]
        parts = {
            "weights": _models(trainer.model),
            "reference": _models(getattr(trainer, "ref_model", None)),
            "gradients": self.gradients,
            "optimizer": _states(getattr(trainer, "optimizer", None)),
        }
        return {
            "parts": parts,
            **self._peak(),
            "seconds_by_step": [end - begin for begin, end in zip(begins, self.ends)],
            "held_after_steps": self.left,
        }

    def _peak(self) -> dict[str, Any]:
        from ..child import peak_bytes

        if not self.on_gpu:
            return {"peak": peak_bytes(), "reserved": 0, "total": 0, "device": "cpu"}
        cuda = _cuda()
        return {
            "peak": int(cuda.max_memory_allocated()),
            "reserved": int(cuda.max_memory_reserved()),
            "total": int(cuda.get_device_properties(0).total_memory),
            "device": cuda.get_device_name(0),
        }


def size(tensors: Iterable[Any]) -> int:
    """Bytes of tensors; those that share their storage count once."""
    seen = {one.untyped_storage().data_ptr(): one.untyped_storage().nbytes() for one in tensors}
    return sum(seen.values())


def _models(model: Any) -> int:
    return size([*model.parameters(), *model.buffers()]) if model is not None else 0


def _states(optimizer: Any) -> int:
    """The optimizer's own tensors: two moments of each weight, for Adam."""
    import torch

    inner = getattr(optimizer, "optimizer", optimizer)
    states = getattr(inner, "state", {}).values()
    return size(one for state in states for one in state.values() if torch.is_tensor(one))


def _cuda() -> Any:
    import torch

    return torch.cuda
