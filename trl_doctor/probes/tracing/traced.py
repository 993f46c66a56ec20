"""One trace: the trainer built and its step taken, with every storage put into its part."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..answers.fit import Sizes
from .attention import gpu_attention
from .layers import Cut
from .log import SCORING
from .phases import phases
from .replay import Trace, replayed
from .stand_ins import gpu_kernels, standing_in
from .tracker import MANY, Tracker

GPU_UNIT = 512
"""Bytes in which CUDA's allocator of torch counts."""

ROLES = {
    "ref_model": "reference", "ref_policy": "reference", "reward_model": "reward",
    "reward_funcs": "reward", "value_model": "value", "model": "weights",
}  # fmt: skip
"""The attributes of trainers that hold models; the first that holds a weight names its part."""

COPIES = "aten._to_copy"


@dataclass(frozen=True)
class Traced:
    """A trace, the layers it had, the sizes of its models, the ids' shapes of every call."""

    trace: Trace
    cut: Cut
    sizes: Sizes
    calls: dict[str, tuple[tuple[int, ...], ...]]


def traced(
    repeat: Any, cut: Cut, *, fake: bool = True, gpu: bool = True, most: int = MANY
) -> Traced:
    """Build the trainer of a laid-out step and take the step, without data.

    With `gpu` memory is counted as on a GPU: its allocator's unit, its optimizer, attention, TRL's
    kernels.
    Without `fake` everything is real, and only observed. Raises `TooMany` after so many operations.
    """
    tracker = Tracker(_fake_mode() if fake else None, GPU_UNIT if gpu else 1, most)
    parts: dict[int, str] = {}
    models: list[Any] = []

    def after_step(optimizer: Any) -> None:
        _mark_optimizer(optimizer, tracker, parts)

    with contextlib.ExitStack() as stack:
        stack.enter_context(gpu_kernels() if gpu else contextlib.nullcontext())
        stack.enter_context(gpu_attention() if fake and gpu else contextlib.nullcontext())
        stack.enter_context(_at_once() if gpu else contextlib.nullcontext())
        stack.enter_context(tracker)
        if fake:
            stack.enter_context(standing_in(tracker, cut, models))
        trainer = repeat.build()
        if fake:
            _empty(trainer, tracker)
        _mark_models(trainer, tracker, parts)
        tracker.enter(SCORING)
        with phases(trainer, tracker, after_step):
            repeat.step(trainer)
        sizes = _sizes(trainer)
    words = {size for size in map(_words, models or [trainer.model]) if size}
    _mark_copies(trainer, tracker, parts)
    parts.update(dict.fromkeys(tracker.cache - {0}, "kv cache"))
    calls = {phase: tuple(shapes) for phase, shapes in tracker.calls.items()}
    return Traced(replayed(tracker.log, parts, words), cut, sizes, calls)


def _fake_mode() -> Any:
    from torch._subclasses.fake_tensor import FakeTensorMode

    return FakeTensorMode(allow_non_fake_inputs=True)


@contextlib.contextmanager
def _at_once() -> Iterator[None]:
    """While this lasts optimizers treat all tensors at once where that is usual on a GPU."""
    from ..watching.optimizers import steps

    def before(optimizer: Any, *_: Any) -> None:
        for group in optimizer.param_groups:
            if "foreach" in group and group["foreach"] is None and not group.get("fused"):
                group["foreach"] = True

    with steps(before, lambda *_: None):
        yield


def _models(trainer: Any) -> Iterator[tuple[str, Any]]:
    """The trainer's models with the part that their weights belong to."""
    import torch

    for name, part_name in ROLES.items():
        value = getattr(trainer, name, None)
        for model in value if isinstance(value, (list, tuple)) else [value]:
            if isinstance(model, torch.nn.Module):
                yield part_name, model
                critic = getattr(model, "value_model", None)
                if name == "model" and isinstance(critic, torch.nn.Module):
                    yield "value", critic


def _empty(trainer: Any, tracker: Tracker) -> None:
    """Replace weights that hold data, as small adapters do, by others without.

    Otherwise each operation makes a copy of them that holds none, and that would count as well.
    """
    import torch

    copies: dict[int, Any] = {}
    for _, model in _models(trainer):
        for part in model.modules():
            for name, weight in part._parameters.items():
                if weight is None or type(weight.data) is not torch.Tensor:
                    continue
                if id(weight) not in copies:
                    with tracker.faked():
                        new = torch.empty_like(weight.data)
                    copies[id(weight)] = weight, torch.nn.Parameter(new, weight.requires_grad)
                part._parameters[name] = copies[id(weight)][1]


def _mark_models(trainer: Any, tracker: Tracker, parts: dict[int, str]) -> None:
    models = sorted(_models(trainer), key=lambda entry: entry[0] == "weights")
    for part_name, model in models:
        for tensor in [*model.parameters(), *model.buffers()]:
            tracker.see(tensor, "load")
            parts.setdefault(tracker.number(tensor), part_name)


def _mark_optimizer(optimizer: Any, tracker: Tracker, parts: dict[int, str]) -> None:
    import torch

    for group in optimizer.param_groups:
        for weight in group["params"]:
            if weight.grad is not None:
                parts[tracker.number(weight.grad)] = "gradients"
    for state in optimizer.state.values():
        for value in state.values():
            if isinstance(value, torch.Tensor):
                parts[tracker.number(value)] = "optimizer"


def _mark_copies(trainer: Any, tracker: Tracker, parts: dict[int, str]) -> None:
    """Weights in another type, as autocast makes them for a forward pass."""
    shapes = {
        tuple(weight.shape)
        for _, model in _models(trainer)
        for weight in model.parameters()
        if weight.dim() > 1
    }
    for number, allocation in enumerate(tracker.log.storages, 1):
        if allocation.op.startswith(COPIES) and allocation.shape in shapes:
            parts.setdefault(number, "weight copies")
    parts.pop(0, None)


def _words(model: Any) -> int:
    if not hasattr(model, "get_output_embeddings"):
        return 0
    weight = getattr(model.get_output_embeddings(), "weight", None)
    return 0 if weight is None else int(weight.shape[0])


def _sizes(trainer: Any) -> Sizes:
    import torch

    weights = list(trainer.model.parameters())
    linear = {
        id(module.weight): module.weight.numel()
        for name, module in trainer.model.named_modules()
        if isinstance(module, torch.nn.Linear) and "lora_" not in name and "head" not in name
    }
    roles: dict[str, int] = {}
    for role, model in _models(trainer):
        roles[role] = roles.get(role, 0) + sum(
            parameter.numel() for parameter in model.parameters()
        )
    return Sizes(
        parameters=sum(weight.numel() for weight in weights),
        trained=sum(weight.numel() for weight in weights if weight.requires_grad),
        linear=sum(linear.values()),
        deepest=0,
        linear_largest=max(linear.values(), default=0),
        dtype=str(weights[0].dtype).rpartition(".")[2],
        by_role=roles,
        embedded=sum(
            {
                id(module.weight): module.weight.numel()
                for module in trainer.model.modules()
                if isinstance(module, torch.nn.Embedding) and module.weight.requires_grad
            }.values()
        ),
    )
