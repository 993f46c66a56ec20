"""What training holds in memory, part by part, and how long each of its steps takes."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any, NamedTuple


class Peak(NamedTuple):
    """Bytes held at most, taken by torch at most, and of the device, with the device's name."""

    held: int
    reserved: int
    total: int
    device: str


class OptimizerWatch:
    """A watcher of optimizers' steps: the size of gradients and the time of each step.

    `device` is "cuda" or "cpu"; on the CPU the peak is that of the whole process.
    """

    def __init__(self, device: str) -> None:
        self.on_gpu = device == "cuda"
        self.gradients = 0
        self.used = 0
        self.ends: list[float] = []
        self.left: list[int] = []
        self.start = time.perf_counter()

    def begin(self) -> None:
        """The models are loaded: what follows are steps."""
        self.start = time.perf_counter()

    def before(self, optimizer: Any, *_: Any) -> None:
        """Add up the gradients."""
        gradients = (
            parameter.grad for group in optimizer.param_groups for parameter in group["params"]
        )
        self.gradients = max(
            self.gradients, size(tensor for tensor in gradients if tensor is not None)
        )
        self._look()

    def after(self, *_: Any) -> None:
        """Note the time, and what is left on the GPU."""
        if self.on_gpu:
            _cuda().synchronize()
            self.left.append(int(_cuda().memory_allocated()))
        self._look()
        self.ends.append(time.perf_counter())

    def _look(self) -> None:
        """Note what the driver sees taken of the device, by whomever."""
        if self.on_gpu:
            free, total = _cuda().mem_get_info()
            self.used = max(self.used, int(total - free))

    def parts(self, trainer: Any) -> dict[str, int]:
        """Bytes by part."""
        return {
            "weights": _models(trainer.model),
            "reference": _models(getattr(trainer, "ref_model", None)),
            "gradients": self.gradients,
            "optimizer": _states(getattr(trainer, "optimizer", None)),
        }

    def seconds(self) -> list[float]:
        """The seconds of every step that was made."""
        return [end - begin for begin, end in zip([self.start, *self.ends], self.ends)]

    def peak(self) -> Peak:
        """What was held at most."""
        from ..child import peak_bytes

        if not self.on_gpu:
            return Peak(peak_bytes(), 0, 0, "cpu")
        cuda = _cuda()
        return Peak(
            int(cuda.max_memory_allocated()),
            int(cuda.max_memory_reserved()),
            int(cuda.get_device_properties(0).total_memory),
            cuda.get_device_name(0),
        )


def size(tensors: Iterable[Any]) -> int:
    """Bytes of tensors; those that share their storage count once."""
    by_storage = {
        tensor.untyped_storage().data_ptr(): tensor.untyped_storage().nbytes() for tensor in tensors
    }
    return sum(by_storage.values())


def _models(model: Any) -> int:
    return size([*model.parameters(), *model.buffers()]) if model is not None else 0


def _states(optimizer: Any) -> int:
    """The optimizer's own tensors: two moments of each weight, for Adam."""
    import torch

    inner = getattr(optimizer, "optimizer", optimizer)
    states = getattr(inner, "state", {}).values()
    return size(value for state in states for value in state.values() if torch.is_tensor(value))


def _cuda() -> Any:
    import torch

    return torch.cuda
