"""`--fix-to` makes a repaired copy; `undo` takes a repair back."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from repair_ground import COPY, GENERATION, VLLM, check, doctor, files

from trl_doctor.repair import copying

# Copies


def test_a_copy_leaves_out_what_is_no_file_and_does_not_go_in_circles() -> None:
    model = Path("models/healthy")
    (model / "sub").mkdir()
    for name, target in {
        "loop": "loop",
        "gone": "nowhere",
        "up": "..",
        "zero": "/dev/zero",
    }.items():
        (model / name).symlink_to(target)
        (model / "sub" / name).symlink_to(target)
    os.mkfifo(model / "pipe")
    os.mkfifo(model / "sub" / "pipe")
    (model / "sub" / "a\nb").touch()
    result = check("models/healthy", "--trainer", "grpo", "--fix-to", "copy")
    assert "itself failed" not in result.stderr
    copied = {str(path.relative_to("copy")) for path in Path("copy").rglob("*")}
    assert copied >= {"sub", "sub/a\nb", "config.json", "tokenizer.json"}
    assert not {Path(name).name for name in copied} & {"loop", "gone", "up", "zero", "pipe"}


def test_a_copy_with_data_that_cannot_be_renamed_is_made_and_reported() -> None:
    text = "model_name_or_path: models/healthy\noutput_dir: &x data/prompts\ndataset_name: *x\n"
    Path("run.yaml").write_text(text + "trainer: grpo\n")
    result = check("run.yaml", "--fix-to", "copy")
    assert "not repaired: set dataset_name to /" in result.stderr
    assert "data/prompts in the copy: /dataset_name has or holds an anchor" in result.stderr
    assert result.exit_code in (0, 1)
    assert "dataset_name: *x\n" in Path("copy/run.yaml").read_text()


@pytest.mark.parametrize("options", [["--fix-to", "copy"], ["--fix"], ["--diff"]])
def test_a_model_that_cannot_be_named_anew_costs_the_copy_and_not_the_report(
    options: list[str],
) -> None:
    text = "output_dir: &x models/no-pad-no-stop\nmodel_name_or_path: *x\ntrainer: grpo\n"
    Path("run.yaml").write_text(text)
    result = check("run.yaml", *options, "--format", "json", "--select", "tokenizer-*")
    assert "the doctor itself failed" not in result.stderr
    if options[0] == "--fix-to":
        assert result.exit_code == 3
        assert "the copy would still name models/no-pad-no-stop: " in result.stderr
        assert not Path("copy").exists()
        assert any(check["findings"] for check in json.loads(result.stdout)["targets"][0]["checks"])


def test_a_repaired_copy_leaves_the_original(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copying, "SMALL", 50_000)
    Path("models/healthy/checkpoint-1").mkdir()
    Path("models/healthy/checkpoint-1/model.safetensors").write_bytes(b"x" * 60_000)
    Path("models/healthy/generation_config.json").chmod(0o444)
    before = files()
    assert check(*VLLM, "--fix-to", "copy").exit_code == 0
    copies = files(Path("copy"))
    assert {name: content for name, content in files().items() if name not in copies} == before
    large = {name for name, content in copies.items() if isinstance(content, str)}
    assert large == {
        "copy/healthy/model.safetensors", "copy/healthy/checkpoint-1/model.safetensors",
    }  # fmt: skip
    assert all(Path(str(copies[name])).is_absolute() for name in large)
    assert check("copy/broken-vllm.yaml", *VLLM[1:]).exit_code == 0
    text = Path("copy/broken-vllm.yaml").read_text()
    assert f"model_name_or_path: {Path('copy/healthy').absolute()}\n" in text
    assert f"dataset_name: {Path('data/prompts').resolve()}\n" in text


@pytest.mark.parametrize(
    ("target", "into", "says"),
    [
        ("broken-vllm.yaml", "data", "data is not empty"),
        ("broken-vllm.yaml", "grpo.yaml", "Not a directory"),
        ("models/healthy", "models/healthy/copy", "which is to be copied"),
        ("models/healthy", "models/healthy", "is not empty"),
        ("broken-vllm.yaml", "models/healthy/a/b", "which is to be copied"),
        ("cut.json", "copy", "cut.json cannot be read"),
    ],
)
def test_a_copy_is_refused(target: str, into: str, says: str) -> None:
    Path("cut.json").write_text('{"trainer": ')
    before = files()
    result = check(target, "--fix-to", into)
    assert result.exit_code == 3
    assert says in result.stderr
    assert files() == before


def test_a_model_folder_that_is_called_like_the_run_file_is_copied_beside_it() -> None:
    Path("models/healthy").rename("models/run.yaml")
    text = Path("broken-vllm.yaml").read_text().replace("models/healthy", "models/run.yaml")
    Path("run.yaml").write_text(text)
    assert check("run.yaml", *VLLM[1:], "--fix-to", "copy").exit_code == 0
    assert Path("copy/run.yaml").is_file()
    assert Path("copy/run.yaml-2/generation_config.json").is_file()


# Taking back


def test_undo_of_what_is_not_there_touches_nothing() -> None:
    assert check(*VLLM, "--fix").exit_code == 0
    repaired = files()
    for target in ("typo.yaml", "gone/typo.yaml"):
        result = doctor("undo", target)
        assert result.exit_code == 3
        assert f"{target}: there is no such file or folder" in result.stderr
    assert files() == repaired


def test_undo_keeps_what_changed_since_unless_forced() -> None:
    original = GENERATION.read_bytes()
    assert check(*VLLM, "--fix").exit_code == 0
    GENERATION.write_bytes(b"{}")
    refused = doctor("undo", "broken-vllm.yaml")
    assert refused.exit_code == 3
    assert "has changed since; --force" in refused.stderr
    assert GENERATION.read_bytes() == b"{}"
    assert doctor("undo", "broken-vllm.yaml", "--force").exit_code == 0
    assert GENERATION.read_bytes() == original


def test_undo_where_nothing_was_done() -> None:
    result = doctor("undo", "grpo.yaml")
    assert result.exit_code == 3
    assert "has nothing to undo" in result.stderr


KILL = """
import os, signal
from trl_doctor.commands.cli import main
real, calls = os.replace, []
def replace(*args, **options):
    calls.append(args)
    if len(calls) == {number}:
        os.kill(os.getpid(), signal.SIGKILL)
    return real(*args, **options)
os.replace = replace
main({arguments!r})
"""


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_a_killed_repair_is_ended_by_the_next_one(number: int) -> None:
    Path("runs").mkdir()
    text = Path("broken-vllm.yaml").read_text().replace("models/", "../models/")
    Path("runs/run.yaml").write_text(text)
    before = files()
    arguments = ["check", "runs/run.yaml", *COPY[1:], "--fix"]
    code = KILL.format(number=number, arguments=arguments)
    killed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    again = check("runs/run.yaml", *COPY[1:], "--fix")
    assert again.exit_code == 0, again.stderr
    assert files() != before
    tokenizer = Path("models/healthy/tokenizer.json").read_bytes()
    assert tokenizer == Path("models/added-tokens/tokenizer.json").read_bytes()
    assert not list(Path().rglob("unfinished"))
    assert doctor("undo", "models/healthy").exit_code == 0
    assert files() == before
