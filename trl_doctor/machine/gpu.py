"""The GPUs of this machine, asked of NVIDIA's management library; no CUDA is started."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from packaging.version import InvalidVersion, Version

from trl_doctor.core.unavailable import Unavailable
from trl_doctor.machine.environment import Environment

GIB = 1024**3


@dataclass(frozen=True)
class Gpu:
    """One GPU, now. Memory in bytes.

    `others` is the memory held by other processes, None where the driver does not say (in a
    container it often does not). `cuda` is the newest CUDA that the driver can run.
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


@dataclass(frozen=True)
class TorchBuild:
    """What the target's torch was built for: a CUDA, a ROCm (`hip`), or neither."""

    version: str
    cuda: Version | None
    hip: str


def gpus(nvml: Any = None) -> tuple[Gpu, ...]:
    """All GPUs of this machine, in the order of the bus.

    `nvml` is the module `pynvml` or one that answers like it. Raises `Unavailable` where there
    is no driver to ask.
    """
    nvml = nvml or _library()
    try:
        nvml.nvmlInit()
    except nvml.NVMLError as error:
        raise Unavailable(f"no NVIDIA driver answers here: {error}") from error
    try:
        count = nvml.nvmlDeviceGetCount()
        return tuple(_gpu(nvml, index) for index in range(count))
    except nvml.NVMLError as error:
        raise Unavailable(f"the NVIDIA driver does not say: {error}") from error
    finally:
        with suppress(nvml.NVMLError):
            nvml.nvmlShutdown()


def visible(known: Sequence[Gpu], variables: Mapping[str, str] = os.environ) -> tuple[Gpu, ...]:
    """The GPUs that `CUDA_VISIBLE_DEVICES` leaves, in its order.

    CUDA stops at the first entry that it does not know. Its numbers are the bus order only
    with `CUDA_DEVICE_ORDER=PCI_BUS_ID`, or where all GPUs are alike.
    """
    said = variables.get("CUDA_VISIBLE_DEVICES")
    if said is None:
        return tuple(known)
    found: list[Gpu] = []
    for entry in said.split(","):
        name = entry.strip()
        fitting = [one for one in known if _means(name, one)]
        if len(fitting) != 1 or fitting[0] in found:
            break
        found += fitting
    return tuple(found)


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


def torch_build(environment: Environment) -> TorchBuild:
    """What the target's installed torch was built for. Raises `Unavailable`."""
    folder = environment.source("torch")
    if folder is None:
        raise Unavailable("torch is not installed here")
    file = folder / "version.py"
    try:
        text = file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Unavailable(f"{file} cannot be read") from error
    said = dict(re.findall(r"^(\w+)(?:\s*:[^=\n]*)?\s*=\s*'([^']*)'", text, re.MULTILINE))
    version = said.get("__version__", "") or str(environment.version("torch") or "")
    return TorchBuild(version, _version(said.get("cuda", "")), said.get("hip", ""))


def driver_note(environment: Environment, known: Sequence[Gpu] | None = None) -> str:
    """What keeps the target's torch from using these GPUs, as a sentence; "" for nothing known.

    `known` are the GPUs, asked anew by default. Raises `Unavailable`.
    """
    known = gpus() if known is None else known
    try:
        build = torch_build(environment)
    except Unavailable as reason:
        return f"CUDA of torch: {reason}"
    if known and build.cuda is None and not build.hip:
        return f"torch {build.version} is built without CUDA: it will not use these GPUs"
    newest = known[0].cuda if known else None
    if newest and build.cuda and build.cuda.major > newest.major:
        return (
            f"torch {build.version} is built for CUDA {build.cuda}, "
            f"the driver {known[0].driver} runs CUDA up to {newest}"
        )
    return ""


def _library() -> Any:
    try:
        import pynvml  # type: ignore[import-untyped]
    except ImportError as error:
        raise Unavailable("no NVIDIA driver answers here: nvidia-ml-py is missing") from error
    return pynvml


def _gpu(nvml: Any, index: int) -> Gpu:
    handle = nvml.nvmlDeviceGetHandleByIndex(index)
    memory = nvml.nvmlDeviceGetMemoryInfo(handle)
    major, minor = nvml.nvmlDeviceGetCudaComputeCapability(handle)
    return Gpu(
        index=index,
        uuid=_text(nvml.nvmlDeviceGetUUID(handle)),
        name=_text(nvml.nvmlDeviceGetName(handle)),
        total=memory.total,
        used=memory.used,
        free=memory.free,
        others=_others(nvml, handle),
        capability=(major, minor),
        driver=_text(nvml.nvmlSystemGetDriverVersion()),
        cuda=_cuda(nvml),
    )


def _others(nvml: Any, handle: Any) -> int | None:
    try:
        processes = nvml.nvmlDeviceGetComputeRunningProcesses(handle)
    except nvml.NVMLError:
        return None
    held = [one.usedGpuMemory for one in processes if one.pid != os.getpid()]
    return None if None in held else sum(held)


def _cuda(nvml: Any) -> Version | None:
    try:
        said = nvml.nvmlSystemGetCudaDriverVersion()
    except nvml.NVMLError:
        return None
    return Version(f"{said // 1000}.{said % 1000 // 10}")


def _text(said: str | bytes) -> str:
    return said.decode(errors="replace") if isinstance(said, bytes) else said


def _version(text: str) -> Version | None:
    try:
        return Version(text)
    except InvalidVersion:
        return None


def _means(entry: str, gpu: Gpu) -> bool:
    by_name = entry.startswith("GPU-") and gpu.uuid.startswith(entry)
    return by_name or (entry.isdecimal() and int(entry) == gpu.index)
