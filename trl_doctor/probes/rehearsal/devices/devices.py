"""Keeps a script that asks for a GPU on the CPU."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

from .. import patching
from ..record import Record
from ..where import here
from . import gpu_stand_ins
from .gpu_stand_ins import NO_GPU

MAKING = (
    "tensor", "as_tensor", "zeros", "ones", "empty", "full", "eye", "arange", "linspace", "rand",
    "randn", "randint", "randperm", "zeros_like", "ones_like", "empty_like", "full_like",
    "rand_like", "randn_like", "randint_like", "normal", "scalar_tensor", "logspace",
    "tril_indices", "triu_indices", "sparse_coo_tensor", "load",
)  # fmt: skip
"""Functions of torch that create a tensor and take a device."""

MADE_ALIKE = ("new_tensor", "new_zeros", "new_ones", "new_empty", "new_full")
"""Methods of tensors that create another tensor and take a device."""

PLACES = ("device", "map_location")


def on_cpu(record: Record) -> None:
    """What is made on a GPU, or sent there, is on the CPU. Torch is there already."""
    import torch

    reported: list[str] = []

    def record_change(name: str, given: Any) -> None:
        if name not in reported:
            reported.append(name)
            record.add("changed", name=name, given=str(given), used="cpu", why=NO_GPU, at=here())

    def made(original: Any, name: str, *args: Any, **more: Any) -> Any:
        for key in [key for key in PLACES if _is_gpu(more.get(key))]:
            record_change(f"torch.{name}()", more[key])
            more[key] = "cpu"
        return original(*args, **more)

    def by_default(original: Any, device: Any) -> Any:
        if _is_gpu(device):
            record_change("torch.set_default_device()", device)
        return original("cpu" if _is_gpu(device) else device)

    def moved(original: Any, owner: Any, *args: Any, **more: Any) -> Any:
        if args and _is_gpu(args[0]):
            record_change(".to()", args[0])
            args = args[1:]
        if _is_gpu(more.get("device")):
            record_change(".to()", more.pop("device"))
        return original(owner, *args, **more) if args or more else owner

    def to_gpu(original: Any, owner: Any, *args: Any, **more: Any) -> Any:
        record_change(".cuda()", "cuda")
        return owner

    _replace_makers(torch, made)
    gpu_stand_ins.of_torch(record, torch, _is_gpu)
    patching.around(torch, "set_default_device", by_default)
    patching.around(torch.nn.Module, "to", moved)
    patching.around(torch.nn.Module, "cuda", to_gpu)
    _replace_methods(torch.Tensor, made, {"to": moved, "cuda": to_gpu})


def _replace_methods(
    tensor: type, make: Callable[..., Any], moving: Mapping[str, Callable[..., Any]]
) -> None:
    """Replace methods of tensors that make others, move them, or need a GPU."""
    alike = {name: _with_name(make, f"Tensor.{name}") for name in MADE_ALIKE}
    for name, call in {**moving, **alike, "pin_memory": _same, "record_stream": _same}.items():
        if name not in vars(tensor):  # a class written in C has them
            setattr(tensor, name, _inherited(name))
        patching.around(tensor, name, call)


def _same(original: Any, tensor: Any, *args: Any, **more: Any) -> Any:
    """The tensor, where only a GPU has something to do."""
    return tensor


def _replace_makers(torch: Any, make: Callable[..., Any]) -> None:
    """Replace the functions that make tensors.

    `with torch.device("meta")` looks for torch's own functions in a set that is made when it is
    first asked for: it has to be made before, or models are not made on that device.
    """
    from torch.utils import _device

    constructors = getattr(_device, "_device_constructors", None)
    if constructors is None:
        return
    constructors()
    for name in MAKING:
        _around(torch, name, _with_name(make, name))


def _around(torch: Any, name: str, call: Callable[..., Any]) -> None:
    """Replace a function of torch; scripts of TorchScript have it as before."""
    from torch.jit import _builtins

    compiled = _builtins._find_builtin(getattr(torch, name))
    patching.around(torch, name, call)
    if compiled:
        _builtins._register_builtin(getattr(torch, name), compiled)


def _with_name(call: Callable[..., Any], name: str) -> Callable[..., Any]:
    return lambda original, *args, **more: call(original, name, *args, **more)


def _inherited(name: str) -> Callable[..., Any]:
    """A method of tensors that can be replaced."""
    import torch

    original = getattr(torch.Tensor, name)

    def method(tensor: Any, *args: Any, **more: Any) -> Any:
        return original(tensor, *args, **more)

    return method


def shard_on_cpu(module: ModuleType) -> None:
    """Let accelerate shard with FSDP on the CPU: it does so on GPUs only, and else copies.

    `module` is `accelerate.state`.
    """

    def made(original: Any, state: Any, *args: Any, **more: Any) -> None:
        original(state, *args, **more)
        kinds, plugin = module.DistributedType, more.get("fsdp_plugin")
        if plugin is not None and state.distributed_type == kinds.MULTI_CPU:
            state.distributed_type, state.fsdp_plugin = kinds.FSDP, plugin
            module.PartialState._shared_state["distributed_type"] = kinds.FSDP

    patching.around(module.AcceleratorState, "__init__", made)


def _is_gpu(device: Any) -> bool:
    return (isinstance(device, int) and not isinstance(device, bool)) or str(device).startswith(
        "cuda"
    )
