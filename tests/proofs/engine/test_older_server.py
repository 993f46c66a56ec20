"""The server that older releases of trl need: what their own client makes of vLLM's."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from commands import checks, ran
from engine_run import RUN, candidate
from laid import Interpreter

CLIENT = """
import sys
from unittest import mock
from trl.extras import vllm_client
try:
    with mock.patch.object(vllm_client, "is_vllm_available", lambda: True):
        vllm_client.VLLMClient(base_url=sys.argv[1]).init_communicator()
except Exception as error:
    print("SAID", type(error).__name__, error)
"""
"""Its first two requests need no vLLM here."""

PLAIN = {"/health": b"", "/version": b'{"version": "0.11.0"}'}
"""What the server of `vllm serve` answers to them; `/health/` it sends on."""


@pytest.mark.parametrize("environment", ["grpo-shapes", "four"])
def test_the_server_of_vllm_itself(
    tmp_path: Path, interpreter: Interpreter, environment: str
) -> None:
    python = interpreter(environment)
    candidate(tmp_path, {**RUN, "vllm_mode": "server"})
    with serving(PLAIN) as url:
        output = ran(python, "-c", CLIENT, url).stdout
        (message,) = messages(tmp_path, python, url)
    assert "SAID Exception Request failed: 404" in output
    assert message.startswith("the server is that of vllm 0.11.0 itself: TRL's client fails")
    with serving({"/health/": b"", "/get_world_size/": b'{"world_size": 1}'}) as url:
        assert "Request failed: 404" not in ran(python, "-c", CLIENT, url).stdout
        assert messages(tmp_path, python, url) == []
    assert "SAID ConnectionError" in ran(python, "-c", CLIENT, url).stdout
    (message,) = messages(tmp_path, python, url)
    assert "no server of trl answers" in message


def messages(folder: Path, python: Path, url: str) -> list[str]:
    """The messages of the doctor about the server."""
    rule = "vllm-server-unlike-run"
    flags = ("--level", "files", "--select", rule, "--vllm-server", url)
    check = checks(folder / "run.json", python, *flags, statuses=(0, 1, 3))[rule]
    return [finding["message"] for finding in check["findings"]]


@contextmanager
def serving(answers: dict[str, bytes]) -> Iterator[str]:
    """A server with these answers by path; a path with a slash too many is sent on."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            data = answers.get(self.path)
            onwards = self.path.rstrip("/") in answers and data is None
            self.send_response(307 if onwards else 404 if data is None else 200)
            if onwards:
                self.send_header("Location", self.path.rstrip("/"))
            self.end_headers()
            self.wfile.write(data or b"")

        def log_message(self, *_: object) -> None:
            """Nothing is logged."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
