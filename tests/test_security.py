"""SECURITY.md: each test that it names exists, and a hostile download gains nothing."""

from __future__ import annotations

import json
import os
import pickle
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "SECURITY.md").read_text()
NAMED = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", PAGE)


def test_each_test_that_the_page_names_exists() -> None:
    assert len(NAMED) > 30
    for file, name in NAMED:
        text = (ROOT / file).read_text()
        assert not name or f"def {name}(" in text, f"{file}::{name}"


def test_each_promise_in_a_table_names_its_test() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("|") and "---" not in line]
    promises = [row for row in rows if row.count("|") == 4 and not row.endswith("| test |")]
    assert len(promises) > 12
    for row in promises:
        assert re.search(r"`tests/[\w/]+\.py::\w+`", row), row


AUDITED = """
import os, runpy, sys
log = open(os.environ["AUDIT"], "a")
def note(event, given):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto", "os.system", "os.exec"):
        print(event, *map(repr, given[1:] or given), file=log, flush=True)
    elif event in ("subprocess.Popen", "os.posix_spawn"):
        print(event, given[0], file=log, flush=True)
    elif event == "pickle.find_class":
        print(event, *given, file=log, flush=True)
sys.addaudithook(note)
from trl_doctor.commands.cli import main
main(sys.argv[1:])
"""
"""The command, with a hook that notes what it connects to, starts and unpickles."""


class Payload:
    """Leaves a mark where it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Any, ...]:
        return open, (str(self.mark), "w")


@pytest.fixture
def download(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder that came from elsewhere: all of it leaves a mark where it is run."""
    work = tmp_path / "work"
    model = work / "m"
    shutil.copytree(ROOT / "fixtures" / "models" / "healthy", model)
    (model / "model.safetensors").unlink()
    leaves = f"open({str(tmp_path / 'mark')!r}, 'w')\n"
    for name in ("pytorch_model.bin", "training_args.bin", "optimizer.pt", "adapter_model.bin"):
        (model / name).write_bytes(pickle.dumps(Payload(tmp_path / "mark")))
    for name in ("modeling_own.py", "tokenization_own.py", "__init__.py", "generate.py"):
        (model / name).write_text(leaves)
    for name, own in (("config.json", "AutoConfig"), ("tokenizer_config.json", "AutoTokenizer")):
        data = json.loads((model / name).read_text())
        data["auto_map"] = {own: "modeling_own.Own"}
        (model / name).write_text(json.dumps(data))
    for name in ("sitecustomize.py", "usercustomize.py", "conftest.py", "rewards.py", "json.py"):
        (work / name).write_text(leaves)
    (work / "train.py").write_text(f"{leaves}from trl import GRPOTrainer\nGRPOTrainer('m')\n")
    (work / "Makefile").write_text(f"train:\n\techo > {tmp_path / 'mark'}; python train.py\n")
    run = {
        "trainer": "grpo", "model_name_or_path": "m", "trust_remote_code": True,
        "reward_funcs": ["rewards.one"], "dataset_name": "$(touch mark)",
    }  # fmt: skip
    (work / "run.json").write_text(json.dumps(run))
    (work / ".trl-doctor").mkdir()
    (work / ".trl-doctor" / "unfinished").write_bytes(pickle.dumps(Payload(tmp_path / "mark")))
    for name in ("home", "tmp"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(work)
    return tmp_path


def audited(download: Path, *options: str) -> str:
    """What the command connected to, started and unpickled; it may not have run the download."""
    unset = {"PYTHONPATH", "XDG_CACHE_HOME", "XDG_STATE_HOME", "PYTHONPYCACHEPREFIX"}
    own = {name: text for name, text in os.environ.items() if name not in unset}
    own |= {
        "HOME": str(download / "home"), "TMPDIR": str(download / "tmp"),
        "AUDIT": str(download / "audit"), "PYTHONDONTWRITEBYTECODE": "1",
    }  # fmt: skip
    command = [sys.executable, "-P", "-c", AUDITED, *options]
    process = subprocess.run(command, capture_output=True, text=True, env=own)
    assert process.returncode in (0, 1, 3), process.stderr
    assert "Traceback" not in process.stderr
    assert not (download / "mark").exists()
    return (download / "audit").read_text()


def tree(folder: Path) -> dict[str, bytes | None]:
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }


COMMANDS = (
    ["check", "run.json", "m", "train.py", "Makefile", "--level", "files", "-o", "json"],
    ["check", "run.json", "--level", "files", "--diff", "--unsafe-fixes"],
)


@pytest.mark.parametrize("options", COMMANDS, ids=["check", "diff"])
def test_a_download_is_not_run_and_nothing_is_sent_or_written(
    options: list[str], download: Path
) -> None:
    before = tree(download / "work")
    events = audited(download, *options).splitlines()
    own = f"subprocess.Popen {sys.executable}", f"os.posix_spawn {sys.executable}"
    assert set(events) <= set(own)
    assert tree(download / "work") == before
    assert tree(download / "tmp") == {}
    names = {name for name in tree(download / "home") if not name.startswith(".cache")}
    assert names == set()
    files = [
        name for name in tree(download / "home" / ".cache") if not name.startswith("trl-doctor")
    ]
    assert files == []


def test_the_interpreter_that_is_named_runs_once(download: Path) -> None:
    named = download / "python"
    named.symlink_to(sys.executable)
    events = audited(download, *COMMANDS[0], "--python", str(named)).splitlines()
    others = [event for event in events if sys.executable not in event]
    assert others == [f"subprocess.Popen {named}"]
