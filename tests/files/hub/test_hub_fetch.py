"""Small files and the headers of weights are fetched, nothing else."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
import small_hub
from hub_ground import WEIGHTS, reason, resolve, write
from small_hub import SmallHub

from trl_doctor.files import safetensors
from trl_doctor.files.hub import store as hub_store
from trl_doctor.files.hub.fetch import HubLimits


def test_small_files_come_whole_and_weights_as_headers(server: SmallHub, model: Path) -> None:
    commit = server.add("org/name", model)
    snapshot = resolve("org/name")
    assert (snapshot.source, snapshot.complete) == ("fetched", True)
    assert snapshot.label == f"org/name@{commit[:12]}"
    assert "without the weights" in snapshot.note
    here = set(small_hub.files(snapshot.path)) - {hub_store.LISTING}
    unread = {"README.md", "pytorch_model.bin", "checkpoint-1/config.json"}
    assert here == set(small_hub.files(model)) - unread
    for name in here:
        original, copy = model / name, snapshot.path / name
        assert copy.stat().st_size == original.stat().st_size
        if not name.endswith(".safetensors"):
            assert copy.read_bytes() == original.read_bytes()
            continue
        header = safetensors.read_header(copy)
        assert header == safetensors.read_header(original) and len(header.tensors) in (3, 4000)
    assert server.sent < 1 << 20 < WEIGHTS
    stored = [r for r in server.requests if r.server == "storage"]
    assert stored and all("range" in r.headers for r in stored)
    assert not any("pytorch_model.bin" in r.path for r in server.requests)
    assert not (Path(os.environ["HF_HOME"])).exists()


def test_the_listing_has_the_files_of_the_repository(server: SmallHub, model: Path) -> None:
    commit = server.add("org/name", model)
    path = resolve("org/name").path
    written = json.loads((path / hub_store.LISTING).read_text())
    assert written["commit"] == commit and written["repo"] == "org/name"
    assert written["files"]["pytorch_model.bin"] == {"size": WEIGHTS, "here": "no"}
    assert written["files"]["config.json"]["here"] == "whole"
    assert written["files"]["model-00001-of-00002.safetensors"]["here"] == "header"
    listing = hub_store.read_listing(path)
    assert listing is not None and set(listing.files) == set(small_hub.files(model))
    assert hub_store.read_listing(model) is None


def test_a_second_check_requests_the_commit_only(server: SmallHub, model: Path) -> None:
    commit = server.add("org/name", model)
    first = resolve("org/name")
    server.forget()
    assert resolve("org/name").path == first.path
    assert len(server.requests) == 1 and server.sent < 200
    server.forget()
    assert resolve(f"org/name@{commit}").path == first.path
    assert server.requests == []


def test_a_branch_that_moved_is_fetched_anew(server: SmallHub, model: Path, tmp_path: Path) -> None:
    old = server.add("org/name", model, "main", "v1")
    assert resolve("org/name").path.name == old
    new = server.add("org/name", write(tmp_path / "new", {"config.json": {"new": 1}}))
    assert resolve("org/name").path.name == new
    assert resolve("org/name", offline=True).path.name == new
    assert resolve("org/name@v1").path.name == old
    assert resolve(f"org/name@{old[:8]}").path.name == old


def test_a_renamed_repository_is_followed(server: SmallHub, model: Path) -> None:
    server.add("openai-community/gpt2", model)
    server.moved["gpt2"] = "openai-community/gpt2"
    assert resolve("gpt2").complete


def test_offline_sends_no_request(
    server: SmallHub, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = server.add("org/name", model, "main", "v1")
    message = reason("org/name@v1", offline=True)
    assert "not in the local cache and --offline was given" in message
    assert "`hf download org/name --revision v1 --include '*.json'`" in message
    for variable in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"):
        with monkeypatch.context() as patch:
            patch.setenv(variable, "yes")
            assert f"{variable} is set" in reason("org/name")
    assert server.requests == []
    fetched = resolve("org/name")
    server.forget()
    for name in ("org/name", f"org/name@{commit[:6]}", f"org/name@{commit}"):
        snapshot = resolve(name, offline=True)
        assert snapshot.path == fetched.path and "fetched before" in snapshot.note
    assert server.requests == []


def test_the_variables_count_as_in_huggingface_hub(
    server: SmallHub, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.add("org/name", model)
    monkeypatch.setenv("HF_HUB_OFFLINE", "0")
    monkeypatch.setenv("TRANSFORMERS_OFFLINE", "1")
    assert resolve("org/name").source == "fetched"


def test_a_file_that_is_too_large_is_left_out_and_reported(server: SmallHub, model: Path) -> None:
    server.add("org/name", model)
    snapshot = resolve("org/name", limits=HubLimits(file=50_000))
    assert not snapshot.complete and "too large to fetch: tokenizer.json" in snapshot.note
    assert not (snapshot.path / "tokenizer.json").exists()
    assert not resolve("org/name", offline=True).complete
    server.add("org/other", model)
    assert "has more than 0 MiB" in reason("org/other", limits=HubLimits(total=100_000))


@pytest.mark.parametrize(
    "start",
    [b"", b"\x00", b"<!DOCTYPE html><html>", b"\xff" * 8 + b"{}", (1 << 20).to_bytes(8, "little")],
    ids=["empty", "one byte", "a page", "endless header", "header longer than the file"],
)
def test_damaged_weights_arrive_as_they_are(server: SmallHub, tmp_path: Path, start: bytes) -> None:
    folder = write(tmp_path / "m", {"config.json": {}, "model.safetensors": start})
    server.add("org/name", folder)
    assert (resolve("org/name").path / "model.safetensors").read_bytes() == start
