"""Keeps a script that asks for a GPU on the CPU."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any

from . import patching
from .demanded import demanded, number
from .record import Record, world
from .where import At, called_by_user, here

NO_GPU = "it needs a GPU, and the rehearsal runs on the CPU"
DEMANDED = "the script ends without a GPU"
BYTES = 80 * 1024**3
ANSWERS: dict[str, Any] = {
    "get_device_capability": (8, 0),
    "get_device_name": "NVIDIA A100-SXM4-80GB",
    "get_device_properties": SimpleNamespace(
        name="NVIDIA A100-SXM4-80GB", major=8, minor=0, total_memory=BYTES,
        multi_processor_count=108,
    ),
    "current_device": 0,
    "mem_get_info": (BYTES, BYTES),
    "is_bf16_supported": True,
    "memory_summary": "",
    "set_device": None,
    "synchronize": None,
    "reset_peak_memory_stats": None,
    "reset_max_memory_allocated": None,
    "set_per_process_memory_fraction": None,
    "ipc_collect": None,
    "init": None,
}  # fmt: skip
"""What a script is told that asks about its GPU: one that every script accepts. That there is a GPU
is only said where the script would end without one: elsewhere it would use it."""

MAKING = (
    "tensor", "as_tensor", "zeros", "ones", "empty", "full", "eye", "arange", "linspace", "rand",
    "randn", "randint", "randperm", "zeros_like", "ones_like", "empty_like", "full_like",
    "rand_like", "randn_like", "randint_like", "load",
)  # fmt: skip
"""Functions of torch that are told where to make a tensor."""

EXCHANGES = ("_exchange_device", "_maybe_exchange_device")
"""What `with torch.cuda.device(0)` calls; -1 is no GPU."""

PLACES = ("device", "map_location")


def on_cpu(record: Record) -> None:
    """What is made on a GPU, or sent there, is on the CPU. Torch is there already."""
    import torch

    told: list[str] = []

    def tell(name: str, given: Any) -> None:
        if name not in told:
            told.append(name)
            record.tell("changed", name=name, given=str(given), used="cpu", why=NO_GPU, at=here())

    def made(original: Any, name: str, *given: Any, **more: Any) -> Any:
        for key in [key for key in PLACES if _is_gpu(more.get(key))]:
            tell(f"torch.{name}()", more[key])
            more[key] = "cpu"
        return original(*given, **more)

    def by_default(original: Any, device: Any) -> Any:
        if _is_gpu(device):
            tell("torch.set_default_device()", device)
        return original("cpu" if _is_gpu(device) else device)

    def moved(original: Any, owner: Any, *given: Any, **more: Any) -> Any:
        if given and _is_gpu(given[0]):
            tell(".to()", given[0])
            given = given[1:]
        if _is_gpu(more.get("device")):
            tell(".to()", more.pop("device"))
        return original(owner, *given, **more) if given or more else owner

    def to_gpu(original: Any, owner: Any, *given: Any, **more: Any) -> Any:
        tell(".cuda()", "cuda")
        return owner

    _replace_makers(torch, made)
    patching.around(torch, "set_default_device", by_default)
    patching.around(torch.nn.Module, "to", moved)
    patching.around(torch.nn.Module, "cuda", to_gpu)
    for name, call in (("to", moved), ("cuda", to_gpu)):
        if name not in vars(torch.Tensor):  # a class written in C has them
            setattr(torch.Tensor, name, _inherited(name))
        patching.around(torch.Tensor, name, call)


def _replace_makers(torch: Any, made: Callable[..., Any]) -> None:
    """Replace the functions that make tensors, but where DeepSpeed may replace them itself.

    `with torch.device("meta")` looks for torch's own functions in a set that is made when it is
    first asked for: it has to be made before, or models are not made on that device.
    """
    from torch.utils import _device

    kept = getattr(_device, "_device_constructors", None)
    if world() > 1 or kept is None:
        return
    kept()
    for name in MAKING:
        _around(torch, name, _with_name(made, name))


def _around(torch: Any, name: str, call: Callable[..., Any]) -> None:
    """Replace a function of torch; scripts of TorchScript have it as before."""
    from torch.jit import _builtins

    compiled = _builtins._find_builtin(getattr(torch, name))
    patching.around(torch, name, call)
    if compiled:
        _builtins._register_builtin(getattr(torch, name), compiled)


def _with_name(call: Callable[..., Any], name: str) -> Callable[..., Any]:
    return lambda original, *given, **more: call(original, name, *given, **more)


def _inherited(name: str) -> Callable[..., Any]:
    """A method of tensors that can be replaced."""
    import torch

    original = getattr(torch.Tensor, name)

    def method(tensor: Any, *given: Any, **more: Any) -> Any:
        return original(tensor, *given, **more)

    return method


def asked_about(record: Record) -> Callable[[ModuleType], None]:
    """Answer the script's own questions about its GPU; libraries see that there is none."""

    def act(cuda: ModuleType) -> None:
        for name in ANSWERS:
            patching.around(cuda, name, answered(name))
        for name in EXCHANGES:
            patching.around(cuda, name, lambda original, device: -1)
        patching.around(cuda, "is_available", there)
        patching.around(cuda, "device_count", counted)

    def there(original: Any) -> Any:
        at = called_by_user()
        return True if at and demanded(at) and tell("is_available", False, True, at) else original()

    def counted(original: Any) -> Any:
        at = called_by_user()
        if at and demanded(at) and tell("device_count", 0, number(at), at):
            return number(at)
        return original()

    def tell(name: str, given: Any, used: Any, at: At) -> bool:
        record.tell("changed", name=f"torch.cuda.{name}()", given=given, used=used, why=DEMANDED,
                    at=at)  # fmt: skip
        return True

    def answered(name: str) -> Callable[..., Any]:
        def call(original: Any, *given: Any, **more: Any) -> Any:
            at = called_by_user()
            if at is None:
                return original(*given, **more)
            record.tell("changed", name=f"torch.cuda.{name}()", given="this machine's",
                        used=str(ANSWERS[name])[:60], why=NO_GPU, at=at)  # fmt: skip
            return ANSWERS[name]

        return call

    return act


def shard_on_cpu(module: ModuleType) -> None:
    """Let accelerate shard with FSDP on the CPU: it does so on GPUs only, and else copies.

    `module` is `accelerate.state`.
    """

    def made(original: Any, state: Any, *given: Any, **more: Any) -> None:
        original(state, *given, **more)
        kinds, plugin = module.DistributedType, more.get("fsdp_plugin")
        if plugin is not None and state.distributed_type == kinds.MULTI_CPU:
            state.distributed_type, state.fsdp_plugin = kinds.FSDP, plugin
            module.PartialState._shared_state["distributed_type"] = kinds.FSDP

    patching.around(module.AcceleratorState, "__init__", made)


def _is_gpu(given: Any) -> bool:
    return (isinstance(given, int) and not isinstance(given, bool)) or str(given).startswith("cuda")
