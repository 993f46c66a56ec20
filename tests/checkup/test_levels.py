"""Which interpreter runs the probes, how far a checkup goes, and on what device."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from msgspec import structs
from packaging.version import Version

from trl_doctor.asking.limits import ProbeLimits
from trl_doctor.asking.oracle import Conditions, NoOracle
from trl_doctor.asking.probes import Probes
from trl_doctor.checkup.levels import oracle_for
from trl_doctor.commands.cli import main
from trl_doctor.core.sizes import GIB
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.machine import gpu
from trl_doctor.machine.environment import Environment
from trl_doctor.machine.gpu import Gpu

INSTALLED = ("torch-2.13.0+cpu", "trl-1.16.0", "transformers-5.23.0")
FIXTURES = Path(__file__).parents[2] / "fixtures"


def world(folder: Path, *installed: str, **stated: str) -> Environment:
    """An environment with these releases in its folder of packages."""
    for name in installed:
        (folder / f"{name}.dist-info").mkdir(parents=True)
        (folder / f"{name}.dist-info" / "METADATA").touch()
    versions = {name: Version(version) for name, version in stated.items()}
    return Environment(Path("/there/bin/python"), (folder,), versions)


def test_the_tiny_level_is_usual_where_the_libraries_are(tmp_path: Path) -> None:
    oracle = oracle_for(None, "auto", world(tmp_path, *INSTALLED))
    assert isinstance(oracle, Probes)
    assert (oracle.conditions.level, oracle.conditions.device) == ("tiny", "cpu")
    assert oracle.conditions.trust_remote_code is False
    assert oracle.variables["CUDA_VISIBLE_DEVICES"] == ""
    assert oracle.python == Path("/there/bin/python")
    assert oracle.at_once >= 2


def test_the_request_reaches_the_probes(tmp_path: Path) -> None:
    limits = ProbeLimits(seconds=7, memory=8, disk=9)
    oracle = oracle_for("tiny", "cpu", world(tmp_path / "site", *INSTALLED), lambda: limits,
                        trust_remote_code=True, keep=tmp_path / "kept")  # fmt: skip
    assert isinstance(oracle, Probes)
    assert (oracle.limits, oracle.keep) == (limits, tmp_path / "kept")
    assert oracle.conditions.trust_remote_code


@pytest.mark.parametrize("installed", [(), INSTALLED[:1], INSTALLED[1:]])
def test_a_missing_library_makes_probes_unavailable(
    tmp_path: Path, installed: tuple[str, ...]
) -> None:
    oracle = oracle_for(None, "auto", world(tmp_path, *installed))
    missing = "trl" if installed == INSTALLED[:1] else "torch"
    assert isinstance(oracle, NoOracle)
    assert f"{missing} is not installed; name the environment" in oracle.reason


def test_a_stated_release_that_is_not_installed_makes_probes_unavailable(tmp_path: Path) -> None:
    there = world(tmp_path, *INSTALLED, trl="0.15.2")
    oracle = oracle_for(None, "cpu", there)
    assert isinstance(oracle, NoOracle)
    assert "trl 0.15.2 was given with --with, 1.16.0 is installed;" in oracle.reason
    with pytest.raises(
        Unavailable,
        match=r"needed: trl 0\.15\.2 was given with --with.* in /there.*; name the .* --python",
    ):
        oracle_for("tiny", "cpu", there)


def test_a_version_stated_as_installed_is_no_obstacle(tmp_path: Path) -> None:
    oracle = oracle_for("tiny", "cpu", world(tmp_path, *INSTALLED, torch="2.13.0", trl="1.16.0"))
    assert isinstance(oracle, Probes)


def test_the_files_level_runs_no_probe(tmp_path: Path) -> None:
    oracle = oracle_for("files", "cuda", world(tmp_path, *INSTALLED), keep=tmp_path / "kept")
    assert oracle == NoOracle("the real libraries were not used: --level tiny uses them")
    assert not (tmp_path / "kept").exists()


def test_the_full_level_without_a_gpu_runs_the_probes_that_need_none(tmp_path: Path) -> None:
    oracle = oracle_for("full", "cpu", world(tmp_path, *INSTALLED))
    assert oracle.conditions == Conditions("full", "cpu")


def torch(folder: Path, cuda: str = "'12.9'", hip: str = "None") -> Environment:
    """An environment whose torch is built for this CUDA or ROCm."""
    (folder / "torch").mkdir(parents=True)
    (folder / "torch/__init__.py").touch()
    text = f"__version__ = '2.13.0'\ncuda = {cuda}\nhip = {hip}\n"
    (folder / "torch/version.py").write_text(text)
    return world(folder, *INSTALLED)


def a_gpu(index: int, free: int, name: str = "GPU") -> Gpu:
    """A GPU of 80 GiB. It is a stand-in: no GPU was seen by these tests."""
    total = 80 * GIB
    return Gpu(index, f"{name}-{index}", "H100", total, total - free, free, None, (9, 0),
               "580.1", Version("13.0"))  # fmt: skip


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Lets the driver report these GPUs, or fail."""
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)

    def has(*cards: Gpu, visible: str | None = None, raises: Exception | None = None) -> None:
        def gpus() -> tuple[Gpu, ...]:
            if raises:
                raise raises
            return cards

        monkeypatch.setattr(gpu, "gpus", gpus)
        if visible is not None:
            monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)

    return has


Machine = Callable[..., None]


def test_the_gpu_with_most_free_memory_is_taken(tmp_path: Path, machine: Machine) -> None:
    machine(a_gpu(0, 9 * GIB), a_gpu(1, 70 * GIB), a_gpu(2, 20 * GIB))
    oracle = oracle_for(None, "auto", torch(tmp_path))
    assert isinstance(oracle, Probes)
    assert (oracle.conditions.device, oracle.conditions.device_why) == ("cuda", "")
    assert oracle.variables["CUDA_VISIBLE_DEVICES"] == "1"
    assert oracle.at_once == 1


def test_a_gpu_that_the_user_hides_is_not_taken(tmp_path: Path, machine: Machine) -> None:
    machine(a_gpu(0, 70 * GIB), a_gpu(1, 20 * GIB, "MIG"), visible="MIG-1")
    oracle = oracle_for(None, "auto", torch(tmp_path))
    assert oracle.conditions.device == "cuda"
    assert isinstance(oracle, Probes)
    assert oracle.variables["CUDA_VISIBLE_DEVICES"] == "MIG-1"


@pytest.mark.parametrize(("vllm", "name"), [("0.32.0", "MIG-1"), ("0.22.1", "0")])
def test_an_instance_is_named_as_this_vllm_reads_it(
    tmp_path: Path, machine: Machine, vllm: str, name: str
) -> None:
    parts = [structs.replace(a_gpu(at, free, "MIG"), index=0)
             for at, free in enumerate((20 * GIB, 70 * GIB))]  # fmt: skip
    machine(*parts)
    here = torch(tmp_path)
    oracle = oracle_for(None, "auto", structs.replace(here, stated={"vllm": Version(vllm)}))
    assert isinstance(oracle, Probes)
    assert oracle.variables["CUDA_VISIBLE_DEVICES"] == name


def test_a_machine_without_a_driver_is_no_news(tmp_path: Path, machine: Machine) -> None:
    machine(raises=gpu.NoDriver("no NVIDIA driver answers here"))
    oracle = oracle_for(None, "auto", torch(tmp_path))
    assert (oracle.conditions.device, oracle.conditions.device_why) == ("cpu", "")
    machine(a_gpu(0, 70 * GIB), visible="-1")
    oracle = oracle_for(None, "auto", torch(tmp_path / "again"))
    assert (oracle.conditions.device, oracle.conditions.device_why) == ("cpu", "")


def test_busy_gpus_are_not_used_unless_the_user_names_one(tmp_path: Path, machine: Machine) -> None:
    machine(a_gpu(0, 2 * GIB), a_gpu(1, 3 * GIB))
    here = torch(tmp_path)
    oracle = oracle_for(None, "auto", here)
    assert oracle.conditions.device == "cpu"
    assert oracle.conditions.device_why.startswith("the freest GPU has 3.0 GiB free, and 8.0 GiB")
    oracle = oracle_for(None, "cuda", here)
    assert isinstance(oracle, Probes)
    assert oracle.variables["CUDA_VISIBLE_DEVICES"] == "1"


@pytest.mark.parametrize(
    ("there", "build", "says"),
    [
        ({"known": (), "raises": Unavailable("the NVIDIA driver does not answer: GPU is lost")}, {},
         "GPU is lost"),
        ({"known": (a_gpu(0, 70 * GIB),), "visible": "MIG-7"}, {},
         "CUDA_VISIBLE_DEVICES=MIG-7 names no GPU of this machine"),
        ({"known": (a_gpu(0, 70 * GIB),)}, {"cuda": "'14.0'"}, "is built for CUDA 14.0"),
        ({"known": (a_gpu(0, 70 * GIB),)}, {"cuda": "None"}, "is built without CUDA"),
        ({"known": ()}, {"cuda": "None", "hip": "'7.0'"}, "is built for ROCm 7.0"),
    ],
)  # fmt: skip
def test_the_reason_for_the_cpu_is_reported(
    tmp_path: Path, machine: Machine, there: dict[str, Any], build: dict[str, str], says: str
) -> None:
    machine(*there.pop("known"), **there)
    here = torch(tmp_path, **build)
    oracle = oracle_for(None, "auto", here)
    assert oracle.conditions.device == "cpu"
    assert says in oracle.conditions.device_why
    with pytest.raises(Unavailable, match="--device cuda: ") as refused:
        oracle_for("tiny", "cuda", here)
    assert says in str(refused.value)


def test_a_folder_that_cannot_be_written_ends_the_command(tmp_path: Path) -> None:
    """The interpreter is real, its libraries are names only: nothing gets as far as asking."""
    site = tmp_path / "venv/lib/python{}.{}/site-packages".format(*sys.version_info)
    world(site, *INSTALLED)
    (tmp_path / "venv/bin").mkdir()
    (tmp_path / "venv/bin/python").symlink_to(sys.executable)
    home = Path(sys.base_prefix, "bin")
    (tmp_path / "venv/pyvenv.cfg").write_text(f"home = {home}\n")
    (tmp_path / "file").touch()
    result = CliRunner().invoke(
        main,
        ["check", str(FIXTURES / "grpo.yaml"), "--offline", "--python", str(tmp_path / "venv"),
         "--keep", str(tmp_path / "file")],
    )  # fmt: skip
    assert result.exit_code == 2
    assert result.stderr == f"trl-doctor: --keep {tmp_path}/file: File exists\n"
    assert result.stdout == ""
