"""Modules that lie in the working folder: the doctor never runs them."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

FIXTURES = Path(__file__).parent.parent / "fixtures"
MODULES = (
    "torch", "transformers", "trl", "vllm", "datasets", "accelerate", "peft", "tokenizers", "numpy",
    "safetensors", "click", "msgspec", "jinja2", "markupsafe", "packaging", "ruamel", "tabulate",
    "huggingface_hub", "pynvml", "httpx", "yaml", "trl_doctor_rules", "sitecustomize",
    "usercustomize", "json", "random", "queue", "types", "typing", "shlex", "tempfile", "difflib",
    "textwrap", "subprocess", "signal", "select", "socket", "inspect", "dataclasses", "functools",
)  # fmt: skip
MARK = "open({!r}, 'a').write(__name__ + '\\n')\n"


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with a run, and a module for every name that says when it is run."""
    folder = tmp_path / "work"
    shutil.copytree(FIXTURES, folder)
    for name in MODULES:
        (folder / f"{name}.py").write_text(MARK.format(str(tmp_path / "run")))
    info = folder / "hostile-1.0.dist-info"
    info.mkdir()
    (info / "entry_points.txt").write_text("[trl_doctor.rules]\nx = torch\n")
    monkeypatch.chdir(folder)
    monkeypatch.delenv("PYTHONPATH", raising=False)
    return tmp_path


COMMANDS = (
    ["rules"], ["env"], ["check", "grpo.yaml", "--level", "files"],
    ["check", "broken-grpo.json", "--diff"],
    ["check", "grpo.yaml", "--level", "files", "--python", sys.executable],
)  # fmt: skip


def run(command: list[str], work: Path) -> None:
    for options in COMMANDS:
        process = subprocess.run([*command, *options], capture_output=True, text=True)
        assert process.returncode in (0, 1), process.stderr
    assert not (work / "run").exists(), (work / "run").read_text()


def test_there_are_forty_modules() -> None:
    assert len(set(MODULES)) == 40


def test_the_command_runs_none_of_them(work: Path) -> None:
    run([str(Path(sys.executable).with_name("trl-doctor"))], work)


def test_the_module_runs_none_of_them(work: Path) -> None:
    run([sys.executable, "-m", "trl_doctor"], work)


def test_another_interpreter_runs_none_of_them(work: Path) -> None:
    other = work / "venv"
    subprocess.run(
        [sys.executable, "-m", "venv", "--without-pip", str(other)], cwd=work, check=True
    )
    command = [str(Path(sys.executable).with_name("trl-doctor")), "env", "--python", str(other)]
    process = subprocess.run(command, capture_output=True, text=True)
    assert process.returncode == 0, process.stderr
    assert not (work / "run").exists(), (work / "run").read_text()
