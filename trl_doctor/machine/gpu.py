"""The GPUs of this machine, read from NVIDIA's management library; CUDA is not started."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from msgspec import Struct
from packaging.version import Version

from trl_doctor.core.sizes import GIB
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.machine.memory import main_memory

VISIBLE = "CUDA_VISIBLE_DEVICES"
INSTANCE = "MIG-"
"""How the names of instances begin."""

NVML = "libnvidia-ml.so.1"
"""The driver's library on Linux."""

HIDING = ("", "-1", "NoDevFiles")
"""What people write into `CUDA_VISIBLE_DEVICES` to hide every GPU."""


class NoDriver(Unavailable):
    """There is no NVIDIA driver to ask: this machine has no GPU that could be used."""


class Hidden(Unavailable):
    """The user hides all GPUs of this machine."""


class Gpu(Struct, frozen=True):
    """One GPU, now. Memory in bytes.

    `index` is that of the bus, of an instance (MIG) that of its GPU; the name of an instance is
    its `uuid`. `others` is the memory held by other processes, None if the driver does not say
    (in a container it often does not). `cuda` is the newest CUDA that the driver can run.
    """

    index: int
    uuid: str
    name: str
    total: int
    used: int
    free: int
    others: int | None
    capability: tuple[int, int]
    driver: str
    cuda: Version | None


def gpus(nvml: Any = None) -> tuple[Gpu, ...]:
    """All GPUs of this machine, in the order of the bus; a divided one (MIG) by its instances.

    One that does not answer is left out. `nvml` is the module `pynvml` or one that answers like
    it. Raises `NoDriver` if there is no driver to ask, else `Unavailable` if no GPU answers.
    """
    nvml = nvml or _library()
    try:
        nvml.nvmlInit()
    except nvml.NVMLError as error:
        raise NoDriver(f"no NVIDIA driver answers here: {error}") from error
    try:
        return tuple(_answering(nvml, nvml.nvmlDeviceGetCount()))
    except nvml.NVMLError as error:
        raise Unavailable(f"the NVIDIA driver does not answer: {error}") from error
    finally:
        with suppress(nvml.NVMLError):
            nvml.nvmlShutdown()


def _answering(nvml: Any, count: int) -> Iterator[Gpu]:
    """The GPUs that answer. Raises the first error if none does."""
    failed: list[Exception] = []
    for index in range(count):
        try:
            handle = nvml.nvmlDeviceGetHandleByIndex(index)
            for instance in _instances(nvml, handle) or [handle]:
                yield _gpu(nvml, index, handle, instance)
        except nvml.NVMLError as error:
            failed.append(error)
    if failed and len(failed) == count:
        raise failed[0]


def _instances(nvml: Any, handle: Any) -> list[Any]:
    """The instances into which a GPU is divided; none where it is not."""
    try:
        if not nvml.nvmlDeviceGetMigMode(handle)[0]:
            return []
        most = nvml.nvmlDeviceGetMaxMigDeviceCount(handle)
    except (nvml.NVMLError, TypeError):
        return []
    instances = []
    for place in range(most):
        with suppress(nvml.NVMLError):
            instances.append(nvml.nvmlDeviceGetMigDeviceHandleByIndex(handle, place))
    return instances


def roomiest(present: Sequence[Gpu], needed: int) -> Gpu | None:
    """The GPU with the most free memory; None if none has what is needed, in bytes."""
    best = max(present, key=lambda gpu: gpu.free, default=None)
    return best if best and best.free >= needed else None


def named(gpu: Gpu, by_number: bool = False) -> dict[str, str]:
    """The variables that leave CUDA this GPU alone, by a number where it can be had.

    vLLM up to 0.22.1 takes what CUDA_VISIBLE_DEVICES says for a number. `by_number` names an
    instance so, too: it has to be the first of its GPU.
    """
    part = gpu.uuid.startswith(INSTANCE) and not by_number
    return {"CUDA_DEVICE_ORDER": "PCI_BUS_ID", VISIBLE: gpu.uuid if part else str(gpu.index)}


def visible(present: Sequence[Gpu], variables: Mapping[str, str] = os.environ) -> tuple[Gpu, ...]:
    """The GPUs that a process of CUDA sees: those of `CUDA_VISIBLE_DEVICES`, in its order.

    CUDA stops at the first entry that it does not know. Its numbers are the bus order only
    with `CUDA_DEVICE_ORDER=PCI_BUS_ID`, or where all GPUs are alike. Of instances (MIG) it sees
    one, and no whole GPU beside it.
    """
    names = variables.get(VISIBLE)
    listed = list(present) if names is None else _listed(present, names)
    part = next((gpu for gpu in listed if gpu.uuid.startswith(INSTANCE)), None)
    return (part,) if part else tuple(listed)


def _listed(present: Sequence[Gpu], names: str) -> list[Gpu]:
    listed: list[Gpu] = []
    for entry in names.split(","):
        name = entry.strip()
        fitting = [gpu for gpu in present if _means(name, gpu)]
        if len({gpu.index for gpu in fitting}) != 1 or fitting[0] in listed:
            break
        listed += fitting[:1]  # of a divided GPU, CUDA sees the first instance only
    return listed


def usable(present: Sequence[Gpu], variables: Mapping[str, str] = os.environ) -> tuple[Gpu, ...]:
    """The visible ones of these GPUs, at least one.

    Raises `Hidden` if the user hides them all, else `Unavailable` if none is left.
    """
    if listed := visible(present, variables):
        return listed
    names = variables.get(VISIBLE)
    if names is not None and names.strip() in HIDING:
        raise Hidden("CUDA_VISIBLE_DEVICES hides all GPUs")
    if names is not None and present:
        raise Unavailable(f"CUDA_VISIBLE_DEVICES={names} names no GPU of this machine")
    raise NoDriver("this machine has no GPU")


def supports_bf16(gpu: Gpu) -> bool:
    """Whether a GPU computes in bfloat16: Ampere (8.0) and newer."""
    return gpu.capability >= (8, 0)


def row(gpu: Gpu) -> dict[str, Any]:
    """A GPU as a row of a table, with memory in GiB."""
    return {
        "gpu": gpu.index,
        "name": gpu.name,
        "memory GiB": round(gpu.total / GIB, 1),
        "free GiB": round(gpu.free / GIB, 1),
        "held by others GiB": None if gpu.others is None else round(gpu.others / GIB, 1),
        "capability": "{}.{}".format(*gpu.capability),
        "bf16": supports_bf16(gpu),
        "driver": gpu.driver,
        "CUDA up to": gpu.cuda and str(gpu.cuda),
    }


def _library() -> Any:
    if sys.platform == "linux":
        import ctypes

        try:
            ctypes.CDLL(NVML)  # as pynvml does, which takes four times as long to import
        except OSError:
            raise NoDriver("no NVIDIA driver answers here: NVML Shared Library Not Found") from None
    try:
        import pynvml  # type: ignore[import-untyped]
    except ImportError as error:
        raise NoDriver("no NVIDIA driver answers here: nvidia-ml-py is missing") from error
    return pynvml


def _gpu(nvml: Any, index: int, handle: Any, part: Any) -> Gpu:
    """A GPU, or the part of it that is an instance."""
    total, used, free = _memory(nvml, part)
    major, minor = nvml.nvmlDeviceGetCudaComputeCapability(handle)
    return Gpu(
        index=index,
        uuid=_text(nvml.nvmlDeviceGetUUID(part)),
        name=_text(nvml.nvmlDeviceGetName(part)),
        total=total,
        used=used,
        free=free,
        others=_others(nvml, part),
        capability=(major, minor),
        driver=_text(nvml.nvmlSystemGetDriverVersion()),
        cuda=_cuda(nvml),
    )


def _memory(nvml: Any, handle: Any) -> tuple[int, int, int]:
    """Bytes of memory, those that are used, and those that are free.

    A GPU that shares the machine's memory (GB10, Jetson) has no memory of its own.
    """
    try:
        memory = nvml.nvmlDeviceGetMemoryInfo(handle)
        return int(memory.total), int(memory.used), int(memory.free)
    except nvml.NVMLError:
        total, free = main_memory()
        return total, total - free, free


def _others(nvml: Any, handle: Any) -> int | None:
    try:
        processes = nvml.nvmlDeviceGetComputeRunningProcesses(handle)
    except nvml.NVMLError:
        return None
    sizes = [process.usedGpuMemory for process in processes if process.pid != os.getpid()]
    return None if None in sizes else sum(sizes)


def _cuda(nvml: Any) -> Version | None:
    try:
        version = nvml.nvmlSystemGetCudaDriverVersion()
    except nvml.NVMLError:
        return None
    return Version(f"{version // 1000}.{version % 1000 // 10}")


def _text(text: str | bytes) -> str:
    return text.decode(errors="replace") if isinstance(text, bytes) else text


def _means(entry: str, gpu: Gpu) -> bool:
    by_name = entry.startswith(("GPU-", INSTANCE)) and gpu.uuid.startswith(entry)
    return by_name or (entry.isdecimal() and int(entry) == gpu.index)
