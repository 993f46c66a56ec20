"""The answers that a script gets when it asks about its GPU."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any

from .. import patching
from ..record import Record
from ..where import At, called_by_user
from . import gpu_stand_ins
from .demanded import demanded, number
from .gpu_stand_ins import NO_GPU

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
    "set_stream": None,
    "reset_accumulated_memory_stats": None,
    "memory_snapshot": (),
    "memory_usage": 0,
    "device_memory_used": 0,
    "utilization": 0,
    "temperature": 0,
    "power_draw": 0,
    "clock_rate": 0,
    "initial_seed": 0,
    "can_device_access_peer": True,
    "is_current_stream_capturing": False,
    "get_arch_list": ["sm_80"],
}  # fmt: skip
"""The answers to a script that asks about its GPU: a GPU that every script accepts. That there is a
GPU is only said where the script would end without one: elsewhere it would use it.
"""

MADE: dict[str, Callable[[Any], Any]] = {
    "current_stream": lambda torch: torch.cuda.Stream(),
    "default_stream": lambda torch: torch.cuda.Stream(),
    "get_rng_state": lambda torch: torch.get_rng_state(),
    "memory_stats": lambda torch: defaultdict(int),
}
"""The same for what is made anew for each answer."""

OF_ANY: dict[str, Any] = {
    "synchronize": None,
    "empty_cache": None,
    "set_device_index": None,
    "set_device_idx": None,
    "current_device_index": 0,
    "current_device_idx": 0,
    "reset_peak_memory_stats": None,
    "memory_allocated": 0,
    "max_memory_allocated": 0,
    "memory_reserved": 0,
    "max_memory_reserved": 0,
}
"""The answers of `torch.accelerator`, which knows devices of all kinds."""

EXCHANGES = ("_exchange_device", "_maybe_exchange_device")
"""What `with torch.cuda.device(0)` calls; -1 is no GPU."""


def asked_about(record: Record) -> Callable[[ModuleType], None]:
    """Answer the script's own questions about its GPU; libraries see that there is none."""

    def act(cuda: ModuleType) -> None:
        gpu_stand_ins.of_cuda(record, cuda)
        for name, value in ANSWERS.items():
            patching.around(cuda, name, _answered(record, f"torch.cuda.{name}()", value))
        for name, make in MADE.items():
            patching.around(cuda, name, _answered(record, f"torch.cuda.{name}()", "", make))
        for name in EXCHANGES:
            patching.around(cuda, name, lambda original, device: -1)
        _counted(record, cuda)

    return act


def on_any_accelerator(record: Record) -> Callable[[ModuleType], None]:
    """The same for `torch.accelerator`."""

    def act(module: ModuleType) -> None:
        for name, value in OF_ANY.items():
            patching.around(module, name, _answered(record, f"torch.accelerator.{name}()", value))
        here = _answered(record, "torch.accelerator.current_accelerator()", "",
                         lambda torch: torch.device("cpu"))  # fmt: skip
        patching.around(module, "current_accelerator", here)
        _counted(record, module)

    return act


def _counted(record: Record, module: ModuleType) -> None:
    """Say that there are GPUs where the script would end without them."""

    def there(original: Any) -> Any:
        at = called_by_user()
        return (
            True
            if at and demanded(at) and record_change("is_available", False, True, at)
            else original()
        )

    def counted(original: Any) -> Any:
        at = called_by_user()
        if at and demanded(at) and record_change("device_count", 0, number(at), at):
            return number(at)
        return original()

    def record_change(name: str, given: Any, used: Any, at: At) -> bool:
        record.add("changed", name=f"{module.__name__}.{name}()", given=given, used=used,
                   why=DEMANDED, at=at)  # fmt: skip
        return True

    patching.around(module, "is_available", there)
    patching.around(module, "device_count", counted)


def _answered(
    record: Record, name: str, value: Any, make: Callable[[Any], Any] | None = None
) -> Callable[..., Any]:
    """What answers a line of the script; libraries get the original's answer."""

    def call(original: Any, *args: Any, **more: Any) -> Any:
        at = called_by_user()
        if at is None:
            return original(*args, **more)
        used = "the CPU's" if make else str(value)[:60]
        record.add("changed", name=name, given="this machine's", used=used, why=NO_GPU,
                   at=at)  # fmt: skip
        if make is None:
            return value
        import torch

        return make(torch)

    return call
