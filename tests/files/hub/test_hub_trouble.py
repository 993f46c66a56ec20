"""A Hub that refuses, breaks off or lies, and a disk that does."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import small_hub
from hub_ground import QUICK, reason, resolve
from hypothesis import given
from hypothesis import strategies as st
from small_hub import TOKEN, SmallHub, says

from trl_doctor.files.hub import store as hub_store
from trl_doctor.files.hub.fetch import HubLimits

# Refusals


@pytest.mark.parametrize(
    ("name", "token", "expected"),
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
def test_a_refusal_has_a_remedy(
    server: SmallHub,
    model: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    token: str,
    expected: str,
) -> None:
    for repo in ("org/name", "org/private", "org/gated"):
        server.add(repo, model)
    server.private, server.gated = {"org/private"}, {"org/gated"}
    monkeypatch.setenv("HF_TOKEN", token)
    message = reason(name)
    place = 0
    for piece in expected.split("*"):
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
    "another shape": (says(200, b'{"id": "x", "sha": 1}'), "an invalid commit"),
    "a commit with a path": (says(200, b'{"id": "x", "sha": "../x"}'), "an invalid commit"),
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
    act, expected = TROUBLES[trouble]
    server.add("org/name", model)
    server.instead["/api/models"] = act
    assert expected in reason("org/name", limits=QUICK)
    server.instead.clear()
    fetched = resolve("org/name")
    server.instead["/api/models"] = act
    snapshot = resolve("org/name", limits=QUICK)
    assert snapshot.path == fetched.path
    assert (
        snapshot.note.startswith("fetched before, without the weights; ")
        and expected in snapshot.note
    )


@pytest.mark.parametrize(
    ("act", "expected"),
    [
        (small_hub.hangs, "was not read within"),
        (HTML, "gives no usable answer"),
        (says(200, b"x" * 400_000), "gives no usable answer"),
        (small_hub.breaks_off, "gives no usable answer"),
        (says(403, X_Error_Message="nothing for\x1b[31m you"), "refuses access to org/name: noth"),
    ],
)
def test_a_file_that_does_not_come_leaves_no_half_copy(
    server: SmallHub, model: Path, act: Callable[[small_hub.Handler], None], expected: str
) -> None:
    commit = server.add("org/name", model)
    server.instead["tokenizer.json"] = act
    message = reason("org/name", limits=QUICK)
    assert expected in message and "\x1b" not in message
    assert [path for path in hub_store.home("org/name").glob("*") if path.name == commit] == []
    assert "not in the local cache" in reason("org/name", offline=True)
    server.instead.clear()
    assert resolve("org/name").complete


@pytest.mark.parametrize("span", ["bytes 7-10/999", "bytes 0-65535/12"])
def test_another_span_than_requested_is_refused(server: SmallHub, model: Path, span: str) -> None:
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
    ("endpoint", "expected"),
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
    clean: Path, monkeypatch: pytest.MonkeyPatch, endpoint: str, expected: str
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", endpoint)
    message = reason("org/name", limits=QUICK)
    assert expected in message and "secret" not in message


@pytest.mark.parametrize(
    "name",
    ["../x.json", "/etc/config.json", "a/../../config.json", "tokenizer/", "./config.json",
     "a//config.json", "config\x00.json", "..", "", "config\n.json"],
)  # fmt: skip
def test_names_that_lead_outside_are_refused(server: SmallHub, clean: Path, name: str) -> None:
    answer = {"id": "org/name", "sha": "a" * 40, "siblings": [{"rfilename": name, "size": 3}]}
    server.instead["/api/models"] = says(200, json.dumps(answer).encode())
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
    output = subprocess.check_output([sys.executable, "-c", script], text=True)
    assert output.startswith("cannot write to ") and "File too large" in output
    monkeypatch.setenv("XDG_CACHE_HOME", str(model / "config.json"))
    assert "cannot write to " in reason("org/name") and "Not a directory" in reason("org/name")
