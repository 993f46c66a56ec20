"""What the cache of huggingface_hub holds is used, without a request."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hub_ground import resolve, write
from small_hub import SmallHub

from trl_doctor.files.hub import cache as hub_cache


def test_the_cache_is_looked_for_where_huggingface_hub_does(clean: Path) -> None:
    settings: list[dict[str, str]] = [
        {},
        {"XDG_CACHE_HOME": "/x"},
        {"HF_HOME": "/h", "XDG_CACHE_HOME": "/x"},
        {"HF_HOME": "~/h"},
        {"HF_HOME": "$WHERE/h", "WHERE": "/w"},
        {"HUGGINGFACE_HUB_CACHE": "/old", "HF_HOME": "/h"},
        {"HUGGINGFACE_HUB_CACHE": "~/old"},
        {"HF_HUB_CACHE": "/new", "HUGGINGFACE_HUB_CACHE": "/old", "HF_HOME": "/h"},
        {"HF_HUB_CACHE": "$WHERE/new", "WHERE": "/w"},
        {"HF_HUB_CACHE": "relative"},
        {"HF_HOME": ""},
    ]
    script = """
import importlib, json, os, sys
from huggingface_hub import constants
from trl_doctor.files.hub.cache import cache_root
plain = {"HOME": "/home/me", "PATH": os.environ["PATH"]}
for setting in json.loads(sys.argv[1]):
    os.environ.clear()
    os.environ.update(plain, **setting)
    importlib.reload(constants)
    print(json.dumps([os.path.normpath(constants.HF_HUB_CACHE), str(cache_root())]))
"""
    out = subprocess.check_output([sys.executable, "-c", script, json.dumps(settings)], text=True)
    pairs = [json.loads(line) for line in out.splitlines()]
    assert len(pairs) == len(settings)
    assert [theirs for theirs, _ in pairs] == [ours for _, ours in pairs]


def downloaded(**options: object) -> None:
    """`snapshot_download` of the installed huggingface_hub, in a process of its own."""
    script = "import json, sys; from huggingface_hub import snapshot_download as download\n"
    script += "download(**json.loads(sys.argv[1]))"
    subprocess.run([sys.executable, "-c", script, json.dumps(options)], check=True)


def test_what_huggingface_hub_downloaded_is_used_without_a_request(
    server: SmallHub, model: Path
) -> None:
    commit = server.add("org/name", model, "main", "v1", "refs/pr/1")
    server.add("gpt2", model)
    for revision in ("main", "v1", "refs/pr/1"):
        downloaded(repo_id="org/name", revision=revision)
    downloaded(repo_id="gpt2")
    server.forget()
    revisions = ("", "@main", "@v1", "@refs/pr/1", f"@{commit}", f"@{commit[:7]}")
    for name in [*(f"org/name{revision}" for revision in revisions), "gpt2"]:
        snapshot = resolve(name)
        assert (snapshot.source, snapshot.complete) == ("cache", True)
        assert snapshot.path.name == commit
        assert (snapshot.path / "config.json").read_bytes() == (model / "config.json").read_bytes()
        assert snapshot.label == f"{name.partition('@')[0]}@{commit[:12]}"
    assert server.requests == []


def test_a_partial_download_is_completed_or_reported(server: SmallHub, model: Path) -> None:
    commit = server.add("org/name", model)
    downloaded(repo_id="org/name", allow_patterns=["*.json"])
    partial = resolve("org/name", offline=True)
    assert (partial.source, partial.complete) == ("cache", False)
    assert partial.note.startswith("local Hub cache, without ") and "--offline" in partial.note
    before = sorted((Path(os.environ["HF_HOME"])).rglob("*"))
    whole = resolve("org/name")
    assert (whole.source, whole.complete) == ("fetched", True)
    assert (whole.path / "chat_template.jinja").is_file() and whole.path.name == commit
    assert sorted((Path(os.environ["HF_HOME"])).rglob("*")) == before
    assert resolve("org/name", offline=True).path == whole.path


CONFIG = ["config.json", "tokenizer.json"]


@pytest.mark.parametrize(
    ("files", "missing"),
    [
        ([*CONFIG, "model.safetensors"], ""),
        (["adapter_config.json", "vocab.json", "adapter_model.safetensors"], ""),
        ([*CONFIG, "pytorch_model.bin"], ""),
        (["tokenizer.json", "model.safetensors"], "config.json"),
        (["config.json", "model.safetensors"], "the tokenizer"),
        (CONFIG, "the weights"),
        ([*CONFIG, "model-00001-of-00002.safetensors"], "model.safetensors.index.json"),
        ([*CONFIG, "model.safetensors.index.json"], "model-00001-of-00002.safetensors"),
        (
            [*CONFIG, "model.safetensors.index.json", "model-00001-of-00002.safetensors"],
            "model-00002-of-00002.safetensors",
        ),
        ([*CONFIG, "pytorch_model.bin.index.json"], "model-00001-of-00002.safetensors"),
    ],
)
def test_what_is_missing_of_a_cached_snapshot(
    files: list[str], missing: str, clean: Path, model: Path
) -> None:
    folder = clean / "hf" / "hub" / "models--org--name"
    snapshot = folder / "snapshots" / ("a" * 40)
    write(folder, {"refs/main": "a" * 40})
    index = (model / "model.safetensors.index.json").read_text()
    write(snapshot, dict.fromkeys(files, index))
    (snapshot / "half.safetensors").symlink_to("../../blobs/never-finished")
    result = hub_cache.find("org/name", "main")
    assert result is not None and result.missing == missing


def test_a_tokenizer_known_to_be_absent_is_not_missing(clean: Path) -> None:
    folder = clean / "hf" / "hub" / "models--org--name"
    write(folder, {"refs/main": "a" * 40, f".no_exist/{'a' * 40}/tokenizer_config.json": ""})
    write(folder / "snapshots" / ("a" * 40), {"config.json": {}, "model.safetensors": ""})
    assert resolve("org/name", offline=True).complete


def test_the_beginning_of_two_commits_is_no_commit(clean: Path) -> None:
    folder = clean / "hf" / "hub" / "models--org--name"
    for commit in ("abcde1" + "0" * 34, "abcde2" + "0" * 34):
        write(folder / "snapshots" / commit, {"config.json": {}})
    assert hub_cache.find("org/name", "abcde") is None
    assert hub_cache.find("org/name", "abcde1") is not None
    assert hub_cache.find("org/name", "0" * 40) is None


@pytest.mark.parametrize("text", ["", "../../../etc", "a" * 39, "A" * 40, "\xff\x00"])
def test_a_damaged_ref_is_no_ref(text: str, clean: Path) -> None:
    folder = clean / "hf" / "hub" / "models--org--name"
    write(folder, {"refs/main": text, f"snapshots/{'a' * 40}/config.json": {}})
    assert hub_cache.find("org/name", "main") is None


def test_a_cached_model_costs_no_import_of_huggingface_hub(clean: Path) -> None:
    folder = clean / "hf" / "hub" / "models--org--name"
    write(folder, {"refs/main": "a" * 40})
    write(folder / "snapshots" / ("a" * 40), dict.fromkeys([*CONFIG, "model.safetensors"], ""))
    script = """
import sys
from trl_doctor.files import hub
assert hub.resolve(hub.parse("org/name"), offline=False).complete
print([name for name in ("huggingface_hub", "httpx2", "ssl", "tempfile") if name in sys.modules])
"""
    assert subprocess.check_output([sys.executable, "-c", script], text=True).strip() == "[]"
