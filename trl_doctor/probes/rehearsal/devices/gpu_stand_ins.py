"""Stand-ins for what only a GPU has: streams, events, generators, the ranges of its profiler."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from types import ModuleType
from typing import Any

from .. import patching
from ..record import Record
from ..where import here

NO_GPU = "it needs a GPU, and the rehearsal runs on the CPU"
STANDS = "a stand-in"

RANGES = ("range_push", "range_pop", "range_start", "range_end", "mark")
"""Functions of `torch.cuda.nvtx`, which name parts of a program for a profiler."""

HISTORY = ("_record_memory_history", "_dump_snapshot", "_snapshot")
"""Functions of `torch.cuda.memory` that follow what a GPU holds."""


class StandIn(type):
    """Classes that take the place of a library's own while a rehearsal runs.

    `record_use` is called where one is used.
    """

    original: Any
    record_use: Callable[[], None]

    def __call__(cls, *args: Any, **more: Any) -> Any:
        if not patching.running():
            return cls.original(*args, **more)
        return super().__call__(*args, **more)

    def __instancecheck__(cls, instance: Any) -> bool:
        return super().__instancecheck__(instance) or isinstance(instance, cls.original)


class Stream:
    """What is sent to it is done at once."""

    cuda_stream = stream_id = priority = 0
    device = "cpu"
    record_use: Callable[[], None]

    def __init__(self, *args: Any, **more: Any) -> None:
        self.record_use()

    def record_event(self, event: Any = None) -> Any:
        """The event, recorded."""
        import torch

        event = torch.cuda.Event() if event is None else event
        event.record(self)
        return event

    def query(self) -> bool:
        """Whether all of it is done."""
        return True

    def synchronize(self) -> None:
        """Wait for nothing."""

    def wait_event(self, event: Any) -> None:
        """Wait for nothing."""

    def wait_stream(self, stream: Any) -> None:
        """Wait for nothing."""

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *error: object) -> None:
        pass


class Event:
    """Remembers when it was recorded."""

    record_use: Callable[[], None]

    def __init__(self, *args: Any, **more: Any) -> None:
        self.record_use()
        self.recorded = time.monotonic()

    def record(self, stream: Any = None) -> None:
        """Remember this time."""
        self.recorded = time.monotonic()

    def elapsed_time(self, end: Any) -> float:
        """Milliseconds between two events; never 0, by which scripts divide."""
        return max(1e-3, float(end.recorded - self.recorded) * 1000)

    def query(self) -> bool:
        """Whether it is over."""
        return True

    def synchronize(self) -> None:
        """Wait for nothing."""

    def wait(self, stream: Any = None) -> None:
        """Wait for nothing."""


class Generator:
    """Makes a generator of random numbers on the CPU where one of a GPU is asked for."""

    original: Any
    record_use: Callable[[], None]
    is_gpu: Callable[[Any], bool]

    def __new__(cls, device: Any = "cpu") -> Any:
        if not cls.is_gpu(device):
            return cls.original(device)
        cls.record_use()
        return cls.original("cpu")


def of_cuda(record: Record, cuda: ModuleType) -> None:
    """Replace the streams and events of `torch.cuda`, and what only follows a GPU."""
    for stand_in in (Stream, Event):
        _replace(record, cuda, stand_in)
    patching.around(cuda, "stream", lambda original, *args, **more: contextlib.nullcontext())
    patching.each(cuda.nvtx, RANGES, lambda original, *args, **more: 0)
    patching.each(cuda.memory, HISTORY, lambda original, *args, **more: None)


def of_torch(record: Record, torch: Any, is_gpu: Callable[[Any], bool]) -> None:
    """Replace generators, what `with torch.device("cuda")` enters, and pinned memory."""
    from torch.utils import _device

    def entered(original: Any, mode: Any, device: Any) -> None:
        original(mode, "cpu" if is_gpu(device) else device)

    _replace(record, torch, Generator, is_gpu=staticmethod(is_gpu))
    if context := getattr(_device, "DeviceContext", None):
        patching.around(context, "__init__", entered)


def _replace(record: Record, owner: Any, stand_in: type, **more: Any) -> None:
    original = vars(owner).get(stand_in.__name__)
    if original is None or isinstance(original, StandIn):
        return
    name = f"{owner.__name__}.{stand_in.__name__}"
    reported: list[str] = []

    def record_use() -> None:
        if name not in reported:
            reported.append(name)
            record.add("changed", name=f"{name}()", given="cuda", used=STANDS, why=NO_GPU,
                       at=here())  # fmt: skip

    new_class = StandIn(stand_in.__name__, (stand_in,),
                        {"original": original, "record_use": staticmethod(record_use),
                         "__module__": owner.__name__, **more})  # fmt: skip
    setattr(owner, stand_in.__name__, new_class)
