"""What a target is taken for, by its content, and what is no target."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from trl_doctor.facts.rule import Files
from trl_doctor.files.target import NoTarget, target
from trl_doctor.testing import laid_out

LLAMA = {"model_type": "llama"}
TOKENIZER = {"version": "1.0"}

TAKEN: list[tuple[Files, str, str, str]] = [
    ({"m/config.json": LLAMA}, "m", "model", "it has config.json"),
    ({"m/tokenizer.json": TOKENIZER}, "m", "model", "it has tokenizer.json"),
    ({"m/adapter_config.json": {}}, "m", "model", "it has adapter_config.json"),
    ({"m/model.safetensors": b"x"}, "m", "model", "it has model.safetensors"),
    ({"m/pytorch_model.bin": b"x"}, "m/", "model", "it has pytorch_model.bin"),
    ({"m/config.json": LLAMA}, "m/config.json", "model", "config.json has model_type"),
    ({"m/config.json": "{", "m/tokenizer.json": {}}, "m/config.json", "model", "tokenizer.json"),
    ({"m/tokenizer.json": "{"}, "m/tokenizer.json", "model", "that tokenizer.json belongs to"),
    ({"m/generation_config.json": {}}, "m/generation_config.json", "model", "belongs to"),
    ({"config.json": {"trainer": "grpo"}}, "config.json", "run", "it has trainer"),
    ({"config.json": {**LLAMA, "trainer": "grpo"}}, "config.json", "run", "it has trainer"),
    ({"config.json": "{"}, "config.json", "run", "it cannot be read"),
    ({"run.json": {"learning_rate": 1}}, "run.json", "run", "it has learning_rate"),
    ({"run.yaml": "output_dir: x\n"}, "run.yaml", "run", "it has output_dir"),
    ({"run.json": {"beta": 1}}, "run.json", "run", "a run file"),
    ({"run.json": [1]}, "run.json", "run", "a run file"),
    ({"run.json": ""}, "run.json", "run", "it cannot be read"),
    ({"run.conf": "trainer: grpo\n"}, "run.conf", "run", "it has trainer"),
]


@pytest.mark.parametrize(("files", "given", "kind", "why"), TAKEN)
def test_what_a_target_is_taken_for(files: Files, given: str, kind: str, why: str) -> None:
    with laid_out(files) as folder:
        found_target = target(str(folder / given), offline=True)
    assert found_target.kind == kind
    assert why in found_target.taken_for
    assert found_target.path == folder / ("m" if kind == "model" else given)


REFUSED: list[tuple[Files, str, str]] = [
    ({}, "gone.json", "there is no such file or folder"),
    ({}, "gone/run.yaml", "there is no such file or folder"),
    ({}, "./gone", "there is no such file or folder"),
    ({}, "a b", "there is no such file or folder"),
    ({}, "", "a target is empty"),
    ({}, ".", "the folder holds no model"),
    ({}, "org/name-that-nobody-has", "not in the local cache and --offline was given"),
    ({"m/readme.md": "x"}, "m", "the folder holds no model (no config.json, "),
    ({"run.txt": b"\xff\x00"}, "run.txt", "is not text: byte 1 is zero"),
    ({"m/a.yaml": "x", "m/b.json": "x"}, "m", "name a file in it: a.yaml, b.json"),
    ({"m/model.safetensors": b"x"}, "m/model.safetensors", "is a weights file; name the model"),
    ({"m/x.gguf": b"x"}, "m/x.gguf", "is a weights file"),
    ({"other.json": LLAMA}, "other.json", "looks like a model's config.json (model_type)"),
    ({}, " ", "a target is empty: is a variable not set?"),
    ({}, "https://huggingface.co/org/name/tree/main", "name the model: org/name"),
    ({}, "http://x/run.yaml", "an address is not read; name a file"),
    ({"m/sft.yaml": "x"}, "m/stf.yaml", "did you mean sft.yaml?"),
    ({"m/a.yaml": "x", "m/b.json": "x"}, "m/", "or all of a kind: m/*.yaml"),
    ({}, "a\0b", "there is no such file or folder"),
    ({}, "~nobody-of-that-name/x", "home directory"),
    ({}, "x" * 5000, "File name too long"),
    ({}, "\udcff\ud800", "there is no such file or folder"),
    ({"run.json": {}}, "run.json/x", "no such folder here, and as a Hub id: "),
]


@pytest.mark.parametrize(("files", "given", "says"), REFUSED)
def test_what_is_no_target(
    files: Files, given: str, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with laid_out(files) as folder:
        monkeypatch.chdir(folder)
        with pytest.raises(NoTarget) as refused:
            target(given, offline=True)
        monkeypatch.undo()
    assert says in str(refused.value)
    assert len(str(refused.value)) < 600


def test_a_folder_wins_over_a_hub_id(monkeypatch: pytest.MonkeyPatch) -> None:
    with laid_out({"org/name/config.json": LLAMA}) as folder:
        monkeypatch.chdir(folder)
        assert target("org/name").path == folder / "org" / "name"
        monkeypatch.undo()


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "run.yaml")
    found_target = target(str(tmp_path / "run.yaml"))
    assert (found_target.kind, found_target.taken_for) == ("run", "a run file; it cannot be read")


def test_links_are_followed_and_dead_ones_reported(tmp_path: Path) -> None:
    (tmp_path / "real.yaml").write_text("trainer: grpo\n")
    (tmp_path / "run.yaml").symlink_to("real.yaml")
    (tmp_path / "dead.yaml").symlink_to("gone.yaml")
    (tmp_path / "loop.yaml").symlink_to("loop.yaml")
    assert target(str(tmp_path / "run.yaml")).path == tmp_path / "run.yaml"
    assert target(str(tmp_path / "dead.yaml")).taken_for == "a run file; it cannot be read"
    assert target(str(tmp_path / "loop.yaml")).taken_for == "a run file; it cannot be read"
