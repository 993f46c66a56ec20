"""Hub ids become folders: from the cache without a request, else small files and headers only."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Any

import huggingface_hub.constants
import pytest
import small_hub
from huggingface_hub.errors import HFValidationError
from huggingface_hub.utils._validators import validate_repo_id
from hypothesis import example, given
from hypothesis import strategies as st
from small_hub import TOKEN, SmallHub, says

from trl_doctor.core.unavailable import Unavailable
from trl_doctor.files import hub, safetensors
from trl_doctor.files.hub import cache as hub_cache
from trl_doctor.files.hub import store as hub_store
from trl_doctor.files.hub.fetch import HubLimits

FOREIGN = ("HF_", "HUGGING", "TRANSFORMERS_", "XDG_CACHE_HOME", "HTTP", "ALL_PROXY", "NO_PROXY")
QUICK = HubLimits(read=1.0, whole=120.0)
WEIGHTS = 16 << 20


@pytest.fixture
def clean(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with nothing on it: own caches, no token, no proxy."""
    for name in list(os.environ):
        if name.upper().startswith(FOREIGN):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for name, value in (
        ("HF_TOKEN_PATH", str(tmp_path / "hf" / "token")),
        ("HF_HUB_OFFLINE", False),
        ("HF_HUB_DISABLE_IMPLICIT_TOKEN", False),
    ):
        monkeypatch.setattr(huggingface_hub.constants, name, value)
    return tmp_path


@pytest.fixture
def server(clean: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SmallHub]:
    with SmallHub() as server:
        monkeypatch.setenv("HF_ENDPOINT", server.address)
        yield server


def shard(path: Path, tensors: int = 3, size: int = WEIGHTS) -> bytes:
    """A true safetensors file of that size whose data is a hole; its header."""
    length = 90 * tensors
    ends = [*range(1, tensors), size - 8 - length]
    entries = {
        f"layer.{n}": {"dtype": "U8", "shape": [stop - start], "data_offsets": [start, stop]}
        for n, (start, stop) in enumerate(pairwise([0, *ends]))
    }
    header = length.to_bytes(8, "little") + json.dumps(entries).encode().ljust(length)
    with path.open("wb") as file:
        file.write(header)
        file.truncate(size)
    return header


def write(folder: Path, files: Mapping[str, object]) -> Path:
    """The folder with these files; text and bytes are written as they are, the rest as JSON."""
    for name, value in files.items():
        text = value if isinstance(value, str | bytes) else json.dumps(value)
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A model as on the Hub, with weights of 32 MiB and things that nobody reads."""
    names = [f"model-0000{n}-of-00002.safetensors" for n in (1, 2)]
    folder = write(
        tmp_path / "model",
        {
            "config.json": {"model_type": "qwen2"},
            "generation_config.json": {},
            "tokenizer.json": {"model": {"vocab": {f"t{n}": n for n in range(9000)}}},
            "tokenizer_config.json": {},
            "merges.txt": "",
            "chat_template.jinja": "{{ messages }}",
            "additional_chat_templates/rag.jinja": "{{ documents }}",
            "modeling_own.py": "class Own: ...",
            "model.safetensors.index.json": {"weight_map": {"a": names[0], "b": names[1]}},
            "README.md": "# model",
            "checkpoint-1/config.json": {},
        },
    )
    shard(folder / names[0])
    shard(folder / names[1], tensors=4000)
    with (folder / "pytorch_model.bin").open("wb") as file:
        file.truncate(WEIGHTS)
    return folder


def resolve(text: str, offline: bool = False, limits: HubLimits | None = None) -> hub.Snapshot:
    return hub.resolve(hub.parse(text), offline=offline, limits=limits)


def reason(text: str, **options: Any) -> str:
    with pytest.raises(Unavailable) as caught:
        resolve(text, **options)
    return str(caught.value)


# Names


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Qwen/Qwen2.5-0.5B", True),
        ("gpt2", True),
        ("org/name@v1.0", True),
        ("org/name@refs/pr/3", True),
        ("gpt2@0123456789abcdef", True),
        ("org/name@", False),
        ("org/name@../x", False),
        ("org/name@a b", False),
        ("here", False),
        ("here/inside", False),
        ("dangling", False),
        ("./name", False),
        ("../name", False),
        ("/name", False),
        ("~/name", False),
        ("org/name/", False),
        ("org/name/sub", False),
        ("org\\name", False),
        ("https://huggingface.co/gpt2", False),
        ("hf://gpt2", False),
        ("", False),
        (".", False),
        ("-x", False),
        ("a--b", False),
        ("name.git", False),
        ("run.json", False),
        ("org/run.yaml", False),
        ("train.py", False),
        ("na\nme", False),
        ("name\n", False),
        ("café", False),
        ("x" * 97, False),
        ("x\x00y", False),
    ],
)
def test_what_looks_like_a_hub_id(
    text: str, expected: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "here" / "inside").mkdir(parents=True)
    (tmp_path / "dangling").symlink_to("nowhere")
    assert hub.looks_like_hub_id(text) is expected


@given(st.text("ab._-/@", max_size=12) | st.text("a-", min_size=90, max_size=200))
@example("a" * 96 + "/" + "b" * 96)
@example("a" * 97)
@example("_a_")
def test_repositories_are_validated_as_huggingface_hub_does(text: str) -> None:
    try:
        validate_repo_id(text)
        valid = True
    except HFValidationError:
        valid = False
    try:
        accepted = hub.parse(text).repo == text
    except Unavailable:
        accepted = False
    assert accepted is valid


def test_parse_splits_the_revision() -> None:
    assert hub.parse("org/name@refs/pr/3") == hub.HubId("org/name", "refs/pr/3")
    assert hub.parse("gpt2") == hub.HubId("gpt2", None)
    assert str(hub.parse("gpt2@v1")) == "gpt2@v1"


@pytest.mark.parametrize("revision", ["../../x", "/etc", "a\x00b", "", "a//b", "-x"])
def test_a_revision_from_a_run_file_is_checked_too(revision: str, clean: Path) -> None:
    with pytest.raises(Unavailable, match="not the name of a revision"):
        hub.resolve(hub.HubId("org/name", revision), offline=True)


# The local Hub cache


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


def test_a_partial_download_is_completed_elsewhere_or_said(server: SmallHub, model: Path) -> None:
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
    found = hub_cache.find("org/name", "main")
    assert found is not None and found.missing == missing


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


# What is fetched


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


def test_the_listing_tells_what_the_repository_holds(server: SmallHub, model: Path) -> None:
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


def test_a_second_check_asks_for_the_commit_only(server: SmallHub, model: Path) -> None:
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


def test_offline_asks_nothing(
    server: SmallHub, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = server.add("org/name", model, "main", "v1")
    said = reason("org/name@v1", offline=True)
    assert "not in the local cache and --offline was given" in said
    assert "`hf download org/name --revision v1 --include '*.json'`" in said
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


def test_a_file_that_is_too_large_is_left_out_and_said(server: SmallHub, model: Path) -> None:
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


# Refusals


@pytest.mark.parametrize(
    ("name", "token", "said"),
    [
        ("org/missing", "", "no repository org/missing on 127.0.0.1:*if it is private*HF_TOKEN"),
        ("org/missing", TOKEN, "no repository org/missing on 127.0.0.1:*that your token may read"),
        ("org/private", "", "no repository org/private*hf auth login"),
        ("org/gated", "", "org/gated is gated: accept its terms on http*/org/gated, then run*"),
        ("org/gated", "hf_other", "org/gated is gated: accept*access with the account of your to"),
        ("org/name@v9", "", "org/name has no revision 'v9'"),
        ("org/name", "hf_wrong", "does not know your token*hf auth login"),
        ("org/name", "hf wrong", "HF_TOKEN*holds characters that no token has"),
        ("org/name", "hf_wröng", "HF_TOKEN*holds characters that no token has"),
    ],
)
def test_a_refusal_says_what_to_do(
    server: SmallHub,
    model: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    token: str,
    said: str,
) -> None:
    for repo in ("org/name", "org/private", "org/gated"):
        server.add(repo, model)
    server.private, server.gated = {"org/private"}, {"org/gated"}
    monkeypatch.setenv("HF_TOKEN", token)
    message = reason(name)
    place = 0
    for piece in said.split("*"):
        assert piece in message[place:]
        place = message.index(piece, place) + len(piece)
    assert not token or token not in message


@pytest.mark.parametrize("name", ["org/private", "org/gated"])
def test_the_token_opens_and_stays_on_the_hub(
    server: SmallHub, model: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    server.add(name, model)
    server.private, server.gated = {"org/private"}, {"org/gated"}
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    snapshot = resolve(name)
    for request in server.requests:
        expected = f"Bearer {TOKEN}" if request.server == "hub" else None
        assert request.headers.get("authorization") == expected
    assert {request.server for request in server.requests} == {"hub", "storage"}
    for file in snapshot.path.rglob("*"):
        assert not file.is_file() or file.stat().st_size > 1 << 20 or TOKEN not in file.read_text()


HTML = says(200, b"<html>Log in to the hotel</html>", Content_Type="text/html; charset=utf-8")


TROUBLES: dict[str, tuple[Callable[[small_hub.Handler], None], str]] = {
    "silence": (small_hub.hangs, "does not answer (nothing for 1 s)"),
    "a page": (HTML, "is a proxy or a log-in page in between?"),
    "another shape": (says(200, b'{"id": "x", "sha": 1}'), "a commit that is none"),
    "a commit with a path": (says(200, b'{"id": "x", "sha": "../x"}'), "a commit that is non"),
    "broken off": (small_hub.breaks_off, "gives no usable answer"),
    "a circle": (says(302, Location="/api/models/org/name/revision/main"), "no usable answer"),
    "no address": (says(302, Location="ftp://x/"), "gives no usable answer"),
    "too many": (says(429, Retry_After="30"), "asks to slow down (429), for 30 s"),
    "a failure": (says(503), "fails (503)"),
    "not zipped": (says(200, b"xx", Content_Encoding="gzip"), "gives no usable answer"),
}


@pytest.mark.parametrize("trouble", TROUBLES)
def test_trouble_has_a_reason_and_an_earlier_copy_serves(
    server: SmallHub, model: Path, trouble: str
) -> None:
    act, said = TROUBLES[trouble]
    server.add("org/name", model)
    server.instead["/api/models"] = act
    assert said in reason("org/name", limits=QUICK)
    server.instead.clear()
    fetched = resolve("org/name")
    server.instead["/api/models"] = act
    snapshot = resolve("org/name", limits=QUICK)
    assert snapshot.path == fetched.path
    assert (
        snapshot.note.startswith("fetched before, without the weights; ") and said in snapshot.note
    )


@pytest.mark.parametrize(
    ("act", "said"),
    [
        (small_hub.hangs, "was not read within"),
        (HTML, "gives no usable answer"),
        (says(200, b"x" * 400_000), "gives no usable answer"),
        (small_hub.breaks_off, "gives no usable answer"),
        (says(403, X_Error_Message="nothing for\x1b[31m you"), "refuses access to org/name: noth"),
    ],
)
def test_a_file_that_does_not_come_leaves_no_half_copy(
    server: SmallHub, model: Path, act: Callable[[small_hub.Handler], None], said: str
) -> None:
    commit = server.add("org/name", model)
    server.instead["tokenizer.json"] = act
    message = reason("org/name", limits=QUICK)
    assert said in message and "\x1b" not in message
    assert [path for path in hub_store.home("org/name").glob("*") if path.name == commit] == []
    assert "not in the local cache" in reason("org/name", offline=True)
    server.instead.clear()
    assert resolve("org/name").complete


@pytest.mark.parametrize("span", ["bytes 7-10/999", "bytes 0-65535/12"])
def test_another_span_than_asked_for_is_refused(server: SmallHub, model: Path, span: str) -> None:
    server.add("org/name", model)
    server.instead["00001-of-00002.safetensors"] = says(206, b"x" * 65536, Content_Range=span)
    assert "sends another model-00001" in reason("org/name")


def test_a_connection_that_breaks_once_is_tried_again(server: SmallHub, model: Path) -> None:
    def once(handler: small_hub.Handler) -> None:
        del server.instead["tokenizer.json"]
        small_hub.breaks_off(handler)

    server.add("org/name", model)
    server.instead["tokenizer.json"] = once
    assert resolve("org/name").complete


@pytest.mark.parametrize("where", ["/api/models", "/resolve/"])
def test_a_drip_ends_with_the_time_for_all(server: SmallHub, model: Path, where: str) -> None:
    server.add("org/name", model)
    server.instead[where] = small_hub.drips
    assert "was not read within 1 s" in reason("org/name", limits=HubLimits(read=30, whole=1))


@pytest.mark.parametrize(
    ("endpoint", "said"),
    [
        ("http://127.0.0.1:1", "127.0.0.1:1 cannot be reached (Connection refused)"),
        ("http://me:secret@127.0.0.1:1", "127.0.0.1:1 cannot be reached"),
        ("http://no-such-host.invalid", "no-such-host.invalid cannot be reached"),
        ("huggingface.co", "HF_ENDPOINT is not an address"),
        ("ftp://huggingface.co", "HF_ENDPOINT is not an address"),
        ("http://[::1", "HF_ENDPOINT is not an address"),
    ],
)
def test_no_hub_there(
    clean: Path, monkeypatch: pytest.MonkeyPatch, endpoint: str, said: str
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", endpoint)
    message = reason("org/name", limits=QUICK)
    assert said in message and "secret" not in message


@pytest.mark.parametrize(
    "name",
    ["../x.json", "/etc/config.json", "a/../../config.json", "tokenizer/", "./config.json",
     "a//config.json", "config\x00.json", "..", "", "config\n.json"],
)  # fmt: skip
def test_names_that_lead_outside_are_refused(server: SmallHub, clean: Path, name: str) -> None:
    said = {"id": "org/name", "sha": "a" * 40, "siblings": [{"rfilename": name, "size": 3}]}
    server.instead["/api/models"] = says(200, json.dumps(said).encode())
    server.instead["/resolve/"] = says(200, b"bad")
    before = {path for path in clean.rglob("*") if path.is_file()}
    assert "a file outside the repository" in reason("org/name")
    assert {path for path in clean.rglob("*") if path.is_file()} == before


@given(st.text("./\\ab~", max_size=12))
def test_contained_names_stay_contained(name: str) -> None:
    from trl_doctor.files.hub.download import contained

    joined = Path(os.path.normpath(Path("/copies/one") / name))
    if contained(name):
        assert joined != Path("/copies/one") and joined.is_relative_to("/copies/one")


# The disk


def test_a_copy_that_lost_a_file_is_fetched_again(server: SmallHub, model: Path) -> None:
    commit = server.add("org/name", model)
    path = resolve("org/name").path
    (path / "config.json").unlink()
    assert "not in the local cache" in reason("org/name", offline=True)
    assert resolve(f"org/name@{commit}").path == path
    assert (path / "config.json").is_file()
    (path / hub_store.LISTING).write_text("{")
    assert resolve("org/name").complete
    assert {there.name for there in path.parent.iterdir()} == {commit, "refs"}


def test_runs_at_the_same_time_share_a_copy(server: SmallHub, model: Path) -> None:
    server.add("org/name", model)
    with ThreadPoolExecutor(6) as pool:
        paths = {s.path for s in pool.map(resolve, ["org/name"] * 6)}
    assert len(paths) == 1
    assert not list(hub_store.home("org/name").glob(".fetch-*"))
    assert hub_store.read_listing(paths.pop()) is not None


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_a_run_that_is_ended_leaves_no_half_copy(
    server: SmallHub, model: Path, how: signal.Signals
) -> None:
    commit = server.add("org/name", model)
    server.instead["tokenizer.json"] = small_hub.hangs
    script = "from trl_doctor.files import hub; hub.resolve(hub.HubId('org/name'), offline=False)"
    process = subprocess.Popen([sys.executable, "-c", script], stderr=subprocess.PIPE)
    while not any("tokenizer.json" in request.path for request in server.requests):
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(how)
    _, errors = process.communicate()
    home = hub_store.home("org/name")
    left = [path.name for path in home.glob("*") if path.name != "refs"]
    assert commit not in left
    if how == signal.SIGINT:
        assert left == [] and errors.rstrip().endswith(b"KeyboardInterrupt")
    server.instead.clear()
    assert resolve("org/name").complete
    while left := list(home.glob(".fetch-*")):  # until the download has seen that nobody waits
        for path in left:
            os.utime(path, (0, 0))
        with hub_store.new_copy("org/name"):
            pass


def test_a_disk_that_takes_nothing_is_a_reason(
    server: SmallHub, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.add("org/name", model)
    script = """
import resource
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.files import hub
resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))
try:
    hub.resolve(hub.HubId("org/name"), offline=False)
except Unavailable as reason:
    print(reason)
"""
    said = subprocess.check_output([sys.executable, "-c", script], text=True)
    assert said.startswith("cannot write to ") and "File too large" in said
    monkeypatch.setenv("XDG_CACHE_HOME", str(model / "config.json"))
    assert "cannot write to " in reason("org/name") and "Not a directory" in reason("org/name")


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
