"""What a machine lacks: the real run dies of it, and the report has it before."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from commands import QUIET, checks, died, ran
from hosts import real_run
from laid import ROOT
from small_disk import NOT_ALLOWED
from small_hub import TOKEN, SmallHub, says

SMALL_DISK = Path(__file__).with_name("small_disk.py")
SFT: dict[str, Any] = {
    "model_name_or_path": "model", "dataset_name": "data", "output_dir": "out", "bf16": False,
    "use_cpu": True, "max_steps": 1, "report_to": "none", "save_strategy": "no",
}  # fmt: skip
SAVED = {**SFT, "save_strategy": "steps", "save_steps": 1, "max_steps": 2}
CHECKPOINT = "out/checkpoint-1"
Interpreter = Callable[[str], Path]
pytestmark = [pytest.mark.slow]


def lay(folder: Path, run: dict[str, Any]) -> Path:
    if not (folder / "model").exists():
        shutil.copytree(ROOT / "fixtures/models/healthy", folder / "model")
        (folder / "data").mkdir()
        (folder / "data/train.jsonl").write_text('{"text": "One two three."}\n' * 4)
    (folder / "run.yaml").write_text(json.dumps(run))
    return folder / "run.yaml"


def messages(file: Path, python: Path, rule: str, **variables: str) -> list[str]:
    flags = ("--trainer", "sft", "--level", "tiny", "--select", rule)
    outcomes = checks(file, python, *flags, cwd=file.parent, **variables)[rule]
    return [finding["message"] for finding in outcomes["findings"]]


def test_an_output_dir_below_a_file(tmp_path: Path, interpreter: Interpreter) -> None:
    python, rule = interpreter("current"), "output-dir-not-writable"
    file = lay(tmp_path, {**SFT, "output_dir": "notes/run"})
    (tmp_path / "notes").write_text("notes")
    assert "NotADirectoryError" in died(python, tmp_path, "sft")
    assert "notes is a file" in messages(file, python, rule)[0]
    (tmp_path / "notes").unlink()
    assert died(python, tmp_path, "sft") == ""
    assert messages(file, python, rule) == []


DAMAGES: dict[str, tuple[Callable[[Path], Any], str, str]] = {
    "not there": (shutil.rmtree, "Can't find a valid checkpoint", "there is no checkpoint"),
    "no weights": (
        lambda saved: (saved / "model.safetensors").unlink(),
        "Can't find a valid checkpoint",
        "is not a checkpoint",
    ),
    "no state": (
        lambda saved: (saved / "trainer_state.json").unlink(),
        "trainer_state.json",
        "there is no trainer_state.json",
    ),
    "truncated": (
        lambda saved: (saved / "model.safetensors").write_bytes(
            (saved / "model.safetensors").read_bytes()[:9000]
        ),
        "SafetensorError",
        "model.safetensors is missing or damaged",
    ),
    "whole": (lambda saved: None, "", ""),
}


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory, interpreter: Interpreter) -> Path:
    """A folder with a run that has left its first checkpoint."""
    folder = tmp_path_factory.mktemp("saved")
    lay(folder, SAVED)
    assert died(interpreter("current"), folder, "sft") == ""
    return folder


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_checkpoint_to_resume_from(
    damage: str, saved: Path, tmp_path: Path, interpreter: Interpreter
) -> None:
    python, rule = interpreter("current"), "resume-checkpoint-unusable"
    do, error, message = DAMAGES[damage]
    shutil.copytree(saved, tmp_path / "w")
    do(tmp_path / "w" / CHECKPOINT)
    file = lay(tmp_path / "w", {**SAVED, "resume_from_checkpoint": CHECKPOINT})
    texts = messages(file, python, rule)
    happened = died(python, tmp_path / "w", "sft")
    assert error in happened if error else not happened, happened
    assert [message in text for text in texts] == ([True] if message else [])


@pytest.mark.environment("four")
def test_a_release_that_does_not_resume(tmp_path: Path, interpreter: Interpreter) -> None:
    python = interpreter("four")
    file = lay(tmp_path, {**SFT, "resume_from_checkpoint": "nowhere"})
    assert died(python, tmp_path, "sft") == ""
    assert "ignore" in messages(file, python, "resume-checkpoint-unusable")[0]


def test_a_port_at_which_machines_meet(tmp_path: Path, interpreter: Interpreter) -> None:
    python, rule = interpreter("current"), "port-taken"
    with listening() as port:
        two = {"distributed_type": "MULTI_GPU", "num_machines": 2, "machine_rank": 0}
        two |= {"num_processes": 2, "main_process_ip": "127.0.0.1", "main_process_port": port}
        (tmp_path / "two.yaml").write_text(json.dumps(two))
        file = lay(tmp_path, {**SFT, "accelerate_config": "two.yaml"})
        command = "from trl.cli import main; main()"
        process = ran(python, "-c", command, "sft", "--config", "run.yaml", cwd=tmp_path)
        assert f"communication on port `{port}`" in process.stderr
        assert f"port {port}, at which" in messages(file, python, rule)[0]
    assert messages(file, python, rule) == []


@contextmanager
def listening() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        yield taken.getsockname()[1]


def on_small_disk(
    python: Path, folder: Path, size: str, *arguments: str, cwd: Path
) -> subprocess.CompletedProcess[str]:
    """What a module does with a small disk at a folder; skips where nothing may be mounted."""
    process = ran(python, SMALL_DISK, folder, size, "-m", *arguments, cwd=cwd)
    if process.returncode == NOT_ALLOWED:
        pytest.skip("this user may mount nothing")
    return process


def seen(folder: Path, size: str, python: Path, rule: str, cwd: Path) -> str:
    """What the doctor says on that disk."""
    command = [sys.executable, SMALL_DISK, folder, size, "-m", "trl_doctor", "check", "run.yaml"]
    options = ["--trainer", "sft", "--select", rule, "--python", python, "--offline"]
    process = subprocess.run([*command, *options], capture_output=True, text=True, cwd=cwd)
    assert process.returncode in (0, 1), process.stderr
    return process.stdout


def test_a_disk_for_one_checkpoint(tmp_path: Path, interpreter: Interpreter) -> None:
    python, rule = interpreter("current"), "checkpoint-disk-too-small"
    lay(tmp_path, SAVED)
    (tmp_path / "out").mkdir()
    train = ("trl.scripts.sft", "--config", "run.yaml")
    for size, dies in {"500k": True, "50m": False}.items():
        process = on_small_disk(python, tmp_path / "out", size, *train, cwd=tmp_path)
        assert bool(process.returncode) == dies, process.stderr[-500:]
        output = seen(tmp_path / "out", size, python, rule, tmp_path)
        assert ("2 checkpoints of" in output) == dies, output


@pytest.fixture(scope="module")
def hub() -> Iterator[SmallHub]:
    with SmallHub() as started:
        started.add("org/gated", ROOT / "fixtures/models/healthy")
        started.gated = {"org/gated"}
        started.instead["/api/repos/create"] = says(401, b'{"error": "Invalid username"}')
        yield started


def online(python: Path, folder: Path, hub: SmallHub, **variables: str) -> str:
    """What TRL's own script says where it fails, with a Hub on this machine."""
    own = {**QUIET, "HF_HUB_OFFLINE": "0", "HF_ENDPOINT": hub.address, "HF_HUB_DISABLE_XET": "1"}
    more = {"HF_HOME": str(folder / "home"), **variables}
    train = ["-m", "trl.scripts.sft", "--config", "run.yaml"]
    process = real_run(python, train, "", folder, own, more)
    return process.stderr if process.returncode else ""


def test_a_push_without_a_login(tmp_path: Path, hub: SmallHub, interpreter: Interpreter) -> None:
    python, rule = interpreter("current"), "login-missing"
    file = lay(tmp_path, {**SFT, "push_to_hub": True})
    assert "401" in online(python, tmp_path, hub)
    nobody = {"HF_TOKEN": "", "HF_TOKEN_PATH": str(tmp_path / "none")}
    assert "push_to_hub needs a token" in messages(file, python, rule, **nobody)[0]
    assert messages(file, python, rule, HF_TOKEN=TOKEN) == []


def test_a_gated_model(tmp_path: Path, hub: SmallHub, interpreter: Interpreter) -> None:
    python, rule = interpreter("current"), "model-refused-by-hub"
    file = lay(tmp_path, {**SFT, "model_name_or_path": "org/gated"})
    assert "GatedRepoError" in online(python, tmp_path, hub)
    assert online(python, tmp_path, hub, HF_TOKEN=TOKEN) == ""
    command = [sys.executable, "-m", "trl_doctor", "check", file, "--trainer", "sft"]
    for token, gated in {"": True, TOKEN: False}.items():
        variables = {"HF_ENDPOINT": hub.address, "HF_TOKEN": token, "HF_HUB_OFFLINE": "0"}
        own = {"HF_HOME": str(tmp_path / "none"), "XDG_CACHE_HOME": str(tmp_path / f"c{gated}")}
        process = subprocess.run(
            [*command, "--select", rule, "--python", python, "--format", "concise"],
            capture_output=True,
            text=True,
            env={"PATH": "/usr/bin:/bin", **own, **variables},
        )
        assert ("org/gated is gated" in process.stdout) == gated, process.stdout + process.stderr
