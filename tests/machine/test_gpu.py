"""What the doctor reports about GPUs. The driver is a stand-in, except in one test."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from msgspec import structs
from packaging.version import Version

from trl_doctor.checkup.checkup import examine
from trl_doctor.checkup.discover import discover
from trl_doctor.checkup.opening import Options, open_run
from trl_doctor.core.sizes import GIB
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.files.target import target
from trl_doctor.machine import gpu, torch_build
from trl_doctor.machine.environment import Environment
from trl_doctor.machine.gpu import Gpu
from trl_doctor.machine.memory import main_memory

(WITHOUT_LAUNCHER,) = [rule for rule in discover().rules if rule.name == "gpus-without-launcher"]
H200 = Gpu(
    0, "GPU-aa11", "H200", 140 * GIB, 2 * GIB, 138 * GIB, 0, (9, 0), "580.1", Version("13.0")
)
T4 = Gpu(1, "GPU-bb22", "T4", 16 * GIB, 0, 16 * GIB, None, (7, 5), "580.1", Version("13.0"))


class StandIn:
    """Answers like pynvml for a machine with one A100. It is no driver."""

    class NVMLError(Exception):
        pass

    def __init__(
        self, failing: str = "", processes: tuple[tuple[int, int | None], ...] = ()
    ) -> None:
        self.failing, self.processes = failing, processes
        self.calls: list[str] = []

    def __getattr__(self, name: str) -> object:
        if not name.startswith("nvml"):
            raise AttributeError(name)

        def answer(*_: object) -> object:
            self.calls.append(name)
            if name == self.failing:
                raise self.NVMLError("Not Supported")
            return {
                "nvmlDeviceGetCount": 1,
                "nvmlDeviceGetUUID": b"GPU-cc33",
                "nvmlDeviceGetName": "NVIDIA A100-SXM4-80GB",
                "nvmlDeviceGetMemoryInfo": SimpleNamespace(total=80, used=30, free=50),
                "nvmlDeviceGetCudaComputeCapability": (8, 0),
                "nvmlDeviceGetComputeRunningProcesses": [
                    SimpleNamespace(pid=pid, usedGpuMemory=memory) for pid, memory in self.processes
                ],
                "nvmlSystemGetDriverVersion": "550.54.15",
                "nvmlSystemGetCudaDriverVersion": 12040,
            }.get(name)

        return answer


def test_memory_of_a_gpu_is_in_bytes() -> None:
    nvml = StandIn(processes=((1, 20), (2, 5)))
    (card,) = gpu.gpus(nvml)
    assert (card.total, card.used, card.free, card.others) == (80, 30, 50, 25)
    assert (card.uuid, card.capability, card.driver) == ("GPU-cc33", (8, 0), "550.54.15")
    assert card.cuda == Version("12.4")
    assert nvml.calls[-1] == "nvmlShutdown"


def test_memory_of_processes_that_the_driver_hides() -> None:
    assert gpu.gpus(StandIn(processes=((1, None),)))[0].others is None
    assert gpu.gpus(StandIn(failing="nvmlDeviceGetComputeRunningProcesses"))[0].others is None
    assert gpu.gpus(StandIn(failing="nvmlSystemGetCudaDriverVersion"))[0].cuda is None


def test_the_driver_is_let_go_after_a_failure() -> None:
    nvml = StandIn(failing="nvmlDeviceGetCudaComputeCapability")
    with pytest.raises(Unavailable, match="does not answer: Not Supported"):
        gpu.gpus(nvml)
    assert nvml.calls[-1] == "nvmlShutdown"


def test_a_gpu_that_shares_the_machines_memory() -> None:
    """GB10 and Jetson: their driver refuses to report memory."""
    (card,) = gpu.gpus(StandIn(failing="nvmlDeviceGetMemoryInfo"))
    assert card.total == main_memory()[0] > card.free > 0


class Several(StandIn):
    """Three GPUs: the first is lost, the second is divided into two instances."""

    def __getattr__(self, name: str) -> object:
        def by_index(index: int) -> str:
            if index == 0:
                raise self.NVMLError("GPU is lost")
            return f"GPU-{index}"

        def instance(parent: str, place: int) -> str:
            if place > 1:
                raise self.NVMLError("Not Found")
            return f"MIG-{parent}-{place}"

        def capability(handle: str) -> tuple[int, int]:
            if handle.startswith("MIG-"):
                raise self.NVMLError("Invalid Argument")
            return 9, 0

        return {
            "nvmlDeviceGetCount": lambda: 3,
            "nvmlDeviceGetHandleByIndex": by_index,
            "nvmlDeviceGetMigMode": lambda handle: (int(handle == "GPU-1"), 0),
            "nvmlDeviceGetMaxMigDeviceCount": lambda handle: 7,
            "nvmlDeviceGetMigDeviceHandleByIndex": instance,
            "nvmlDeviceGetCudaComputeCapability": capability,
            "nvmlDeviceGetUUID": lambda handle: handle,
        }.get(name) or super().__getattr__(name)


def test_a_sick_gpu_and_a_divided_one() -> None:
    cards = gpu.gpus(Several())
    assert [card.uuid for card in cards] == ["MIG-GPU-1-0", "MIG-GPU-1-1", "GPU-2"]
    for value, name in (("MIG-GPU-1-1,2", "MIG-GPU-1-1"), ("1", "MIG-GPU-1-0"), ("2", "GPU-2"),
                        ("2,MIG-GPU-1-1", "MIG-GPU-1-1")):  # fmt: skip
        (card,) = gpu.visible(cards, {"CUDA_VISIBLE_DEVICES": value})
        assert card.uuid == name
    (only,) = gpu.visible(cards, {})
    assert only.uuid == "MIG-GPU-1-0", "CUDA enumerates one instance, and nothing beside it"


def test_the_gpu_with_most_free_memory_by_a_number_that_every_vllm_reads() -> None:
    assert gpu.roomiest((T4, H200), 8 * GIB) == H200
    assert gpu.roomiest((T4,), 20 * GIB) is None
    assert gpu.roomiest((), 0) is None
    order = {"CUDA_DEVICE_ORDER": "PCI_BUS_ID"}
    assert gpu.named(T4) == {**order, "CUDA_VISIBLE_DEVICES": "1"}
    part = structs.replace(T4, uuid="MIG-1")
    assert gpu.named(part) == {**order, "CUDA_VISIBLE_DEVICES": "MIG-1"}
    assert gpu.named(part, by_number=True) == {**order, "CUDA_VISIBLE_DEVICES": "1"}


def test_no_driver_answers() -> None:
    nvml = StandIn(failing="nvmlInit")
    with pytest.raises(Unavailable, match="no NVIDIA driver answers here: Not Supported"):
        gpu.gpus(nvml)
    assert nvml.calls == ["nvmlInit"]


def test_the_real_library_on_this_machine() -> None:
    """No stand-in: a machine without a driver has a reason, one with a driver names its GPUs."""
    try:
        cards = gpu.gpus()
    except Unavailable as reason:
        assert str(reason).startswith("no NVIDIA driver answers here: ")
    else:
        assert all(card.total > 0 and card.capability >= (3, 0) for card in cards)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, [0, 1]),
        ("", []),
        ("0", [0]),
        ("1,0", [1, 0]),
        ("GPU-bb", [1]),
        ("0,5,1", [0]),
        ("-1", []),
        ("0,0", [0]),
        ("GPU-", []),
        ("NoDevFiles", []),
        (" 1 , 0 ", [1, 0]),
    ],
)
def test_visible_gpus(value: str | None, expected: list[int]) -> None:
    variables = {} if value is None else {"CUDA_VISIBLE_DEVICES": value}
    assert [card.index for card in gpu.visible((H200, T4), variables)] == expected


@pytest.mark.parametrize(("value", "count"), [(None, 2), ("0", 1), ("1,0", 2)])
def test_gpus_that_are_hidden_are_not_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str | None, count: int
) -> None:
    monkeypatch.setattr(gpu, "gpus", lambda: (H200, T4))
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    if value is not None:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", value)
    script = "from trl import SFTTrainer\nSFTTrainer('m', train_dataset=rows).train()\n"
    (tmp_path / "train.py").write_text(script)
    environment = Environment(Path("python"), ())
    run = open_run(target(str(tmp_path / "train.py")), environment, Options(offline=True))
    (outcome,) = examine(run, environment, [WITHOUT_LAUNCHER]).outcomes
    assert [finding.message[:24] for finding in outcome.findings] == [
        "2 GPUs are visible here:"
    ] * (count > 1)


def test_bf16_needs_ampere() -> None:
    assert gpu.supports_bf16(H200) and not gpu.supports_bf16(T4)
    assert gpu.row(T4)["bf16"] is False and gpu.row(T4)["held by others GiB"] is None
    assert gpu.row(H200)["memory GiB"] == 140.0


def world(folder: Path, version: str, text: str | None) -> Environment:
    (folder / f"torch-{version}.dist-info").mkdir()
    (folder / f"torch-{version}.dist-info" / "METADATA").touch()
    (folder / "torch").mkdir()
    (folder / "torch" / "__init__.py").touch()
    if text is not None:
        (folder / "torch" / "version.py").write_text(text)
    return Environment(Path("python"), (folder,))


def version_py(version: str, cuda: str, hip: str = "None") -> str:
    return (
        "from typing import Optional\n"
        f"__version__ = '{version}'\ndebug = False\n"
        f"cuda: Optional[str] = {cuda}\ngit_version = 'abc'\nhip: Optional[str] = {hip}\n"
    )


@pytest.mark.parametrize(
    ("version", "cuda", "hip", "note"),
    [
        ("2.13.0+cpu", "None", "None", "torch 2.13.0+cpu is built without CUDA"),
        ("2.13.0+cu129", "'12.9'", "None", ""),
        ("2.20.0+cu140", "'14.0'", "None", "is built for CUDA 14.0, the driver 580.1 runs CUDA up"),
        ("2.13.0+rocm7", "None", "'7.0'", ""),
    ],
)
def test_what_torch_was_built_for(
    tmp_path: Path, version: str, cuda: str, hip: str, note: str
) -> None:
    environment = world(tmp_path, version, version_py(version, cuda, hip))
    build = torch_build.torch_build(environment)
    assert build.version == version and build.hip == hip.strip("'").replace("None", "")
    assert build.cuda == (None if cuda == "None" else Version(cuda.strip("'")))
    text = torch_build.driver_note(environment, [H200])
    assert text.startswith(note) if note.startswith("torch") else note in text
    assert bool(text) == bool(note)


def test_a_torch_without_its_version_file_is_unavailable(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="torch is not installed here"):
        torch_build.torch_build(Environment(Path("python"), ()))
    with pytest.raises(Unavailable, match=r"version\.py cannot be read"):
        torch_build.torch_build(world(tmp_path, "2.13.0", None))
