"""What is made of a server's answers, and of what is no vLLM server at all."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from trl_doctor.checkup.checkup import examine
from trl_doctor.checkup.discover import discover
from trl_doctor.checkup.opening import Options, open_run
from trl_doctor.checkup.outcome import Outcome
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.measured.own_server import own_server
from trl_doctor.facts.measured.server import LARGEST, server_state
from trl_doctor.files.target import target
from trl_doctor.machine.environment import Environment, Version

(RULE,) = [rule for rule in discover().rules if rule.name == "vllm-server-unlike-run"]
CONFIG = {
    "model_config": {
        "model": "models/policy",
        "max_model_len": 4096,
        "logprobs_mode": "processed_logprobs",
    },
    "weight_transfer_config": {"backend": "nccl"},
}
VLLM: dict[str, Any] = {
    "/version": {"version": "0.31.0"},
    "/v1/models": {"data": [{"id": "policy", "root": "models/policy", "max_model_len": 4096}]},
    "/server_info?config_format=json": {"vllm_config": CONFIG},
}


def test_a_server_that_is_well() -> None:
    with serving(VLLM) as (url, requests):
        state = server_state(url)
    assert state.unlike == ""
    assert (state.version, state.model, state.length) == ("0.31.0", "models/policy", 4096)
    assert (state.logprobs, state.developing) == ("processed_logprobs", True)
    assert state.weight_transfer == "nccl"
    assert requests == ["GET /version", "GET /v1/models", "GET /server_info?config_format=json"]


def test_a_server_that_hides_its_configuration() -> None:
    public = {path: answer for path, answer in VLLM.items() if "server_info" not in path}
    with serving(public) as (url, _):
        state = server_state(url)
    assert (state.developing, state.weight_transfer, state.logprobs) == (False, None, None)
    assert (state.model, state.length) == ("models/policy", 4096)


@pytest.mark.parametrize(
    ("answer", "unlike"),
    [
        (b"<html>Grafana</html>", "/version is not answered with JSON"),
        (b"[1, 2]", "/version is not answered with a JSON object"),
        (b"[" * 100_000, "/version is not answered with JSON"),
        (b"\xff\xfe", "/version is not answered with JSON"),
        ({"version": 7}, "it does not answer like a vLLM server"),
        ({"version": ["x"]}, "it does not answer like a vLLM server"),
        (b" " * (LARGEST + 1), "the answer to /version is too large"),
        (None, "/version is answered with status 404"),
    ],
)
def test_something_else_has_the_port(answer: Any, unlike: str) -> None:
    answers = {**VLLM, "/version": answer}
    with serving({path: value for path, value in answers.items() if value is not None}) as (url, _):
        assert server_state(url).unlike == unlike


@pytest.mark.parametrize("models", [{}, {"data": []}, {"data": "x"}, {"data": [7]}])
def test_no_model_is_listed(models: Any) -> None:
    with serving({**VLLM, "/v1/models": models}) as (url, _):
        assert server_state(url).unlike == "it does not answer like a vLLM server"


@pytest.mark.parametrize(
    "configuration", [7, {}, {"model_config": [], "weight_transfer_config": "x"}]
)
def test_a_strange_configuration(configuration: Any) -> None:
    with serving({**VLLM, "/server_info?config_format=json": {"vllm_config": configuration}}) as (
        url,
        _,
    ):
        state = server_state(url)
    assert (state.unlike, state.model, state.length) == ("", "models/policy", 4096)


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (b"Internal Server Error", "/server_info?config_format=json is not answered with JSON"),
        ({"other": 1}, "/server_info has no vllm_config"),
        ([1], "/server_info?config_format=json is not answered with a JSON object"),
    ],
)
def test_a_hidden_configuration_is_no_missing_development_mode(
    tmp_path: Path, answer: Any, why: str
) -> None:
    with serving({**VLLM, "/server_info?config_format=json": answer}) as (url, _):
        state = server_state(url)
        outcome = examined(tmp_path, url)
    assert (state.developing, state.weight_transfer) == (None, None)
    assert state.unknown_because.startswith(why)
    assert outcome.state == "skipped"
    assert outcome.reason.startswith(f"what the server is configured to is not known: {why}")


def test_a_server_with_another_tokenizer_and_dtype(tmp_path: Path) -> None:
    model = {**CONFIG["model_config"], "tokenizer": "x/other", "dtype": "torch.float16"}
    config = {**CONFIG, "model_config": model}
    with serving({**VLLM, "/server_info?config_format=json": {"vllm_config": config}}) as (url, _):
        outcome = examined(tmp_path, url)
        same = examined(tmp_path, url, tokenizer_name_or_path="x/other", fp16=True, bf16=False)
    assert [finding.message for finding in outcome.findings] == [
        "the server took its tokenizer from x/other, not from models/policy",
        "the server computes in float16, and the trainer in bfloat16",
    ]
    assert same.state == "clear"


def test_a_redirect_is_not_followed() -> None:
    with serving(VLLM) as (elsewhere, requests), serving({}, redirect=elsewhere) as (url, _):
        assert server_state(url).unlike == "/version is answered with status 302"
    assert requests == []


def test_no_server_listens() -> None:
    url = unused_address()
    assert server_state(url).unlike.startswith("nothing answers: ")
    state = own_server(url, Version("0.24.0"))
    assert state.unlike.startswith("nothing answers: ") and not state.plain


@pytest.mark.parametrize(
    ("trl", "key"), [("0.16.1", "tensor_parallel_size"), ("0.17.0", "world_size")]
)
def test_a_server_of_an_older_trl(trl: str, key: str) -> None:
    with serving({f"/get_{key}/": {key: 2}}) as (url, requests):
        state = own_server(url, Version(trl))
    assert (state.unlike, state.plain) == ("", "")
    assert requests == [f"GET /get_{key}/"]


def test_the_rule_on_servers_of_an_older_trl(tmp_path: Path) -> None:
    with serving({"/get_world_size/": {"world_size": 1}}) as (url, _):
        healthy = examined(tmp_path, url, trl="1.10.0")
    with serving(VLLM) as (url, _):
        (plain,) = examined(tmp_path, url, trl="1.10.0").findings
    with serving({"/get_world_size/": {"size": 1}}) as (url, _):
        (other,) = examined(tmp_path, url, trl="1.10.0").findings
    (absent,) = examined(tmp_path, unused_address(), trl="1.10.0").findings
    assert healthy.state == "skipped" and "does not report what it loaded" in healthy.reason
    assert plain.message == (
        "the server is that of vllm 0.31.0 itself: TRL's client fails at once, "
        "/get_world_size/ is answered with status 404"
    )
    assert "/get_world_size/ does not return world_size" in other.message
    assert "nothing answers: [Errno 111] Connection refused" in absent.message
    assert absent.remedy.startswith("start `trl vllm-serve")


def unused_address() -> str:
    """An address at which no server listens."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{listener.getsockname()[1]}"


@pytest.mark.parametrize("drops", [b"", b"HTTP/1.1 200 OK\r\n", b"SSH-2.0-OpenSSH_9.6\r\n"])
def test_a_server_that_answers_too_slowly_or_not_in_http(drops: bytes) -> None:
    """Also one that sends a byte now and then, for which no time-out of a socket is enough."""
    with dribbling(drops) as url:
        unlike = server_state(url, timeout=0.3).unlike
    assert unlike.startswith(("/version is not answered", "nothing answers"))


@pytest.mark.parametrize(
    "url", ["", "ftp://127.0.0.1:1", "http://", "http://[::1", "http://a:b:c", "http://a b:1"]
)
def test_what_is_no_address(url: str) -> None:
    with pytest.raises(Unavailable, match="--vllm-server is not an address"):
        server_state(url)


def test_a_password_is_not_repeated() -> None:
    with serving(VLLM) as (url, _):
        state = server_state(url.replace("//", "//me:secret@"))
    assert "secret" not in state.address


def test_the_rule_on_a_server_that_is_well(tmp_path: Path) -> None:
    with serving(VLLM) as (url, _):
        assert examined(tmp_path, url).state == "clear"


def test_the_rule_on_everything_else(tmp_path: Path) -> None:
    config = {
        "model_config": {"model": "x/other", "max_model_len": 128, "logprobs_mode": "raw_logprobs"},
        "weight_transfer_config": None,
    }
    unlike = {**VLLM, "/server_info?config_format=json": {"vllm_config": config}}
    with serving({**unlike, "/version": {"version": "0.9.0"}}) as (url, _):
        outcome = examined(tmp_path, url, max_completion_length=256)
    findings = [(outcome.severity(finding), finding.message) for finding in outcome.findings]
    assert [severity for severity, _ in findings] == [
        "warning",
        "error",
        "warning",
        "error",
        "warning",
    ]
    assert "loaded x/other, but the run trains" in findings[0][1]
    assert "cannot update its weights" in findings[1][1]
    assert "vllm 0.9.0, trl 1.16.0 supports" in findings[2][1]
    assert (
        "128 tokens of prompt and completion, max_completion_length alone is 256" in findings[3][1]
    )
    assert "raw_logprobs" in findings[4][1]


def test_the_rule_on_a_server_with_another_models_folder(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "config.json").write_text('{"model_type": "gpt2"}')
    config = {**CONFIG, "model_config": {"model": str(other)}}
    with serving({**VLLM, "/server_info?config_format=json": {"vllm_config": config}}) as (url, _):
        outcome = examined(tmp_path, url)
    (finding,) = outcome.findings
    assert "whose config.json is not that of" in finding.message
    assert outcome.severity(finding) == "error"


def test_the_rule_where_nothing_answers_and_where_no_server_was_named(tmp_path: Path) -> None:
    with serving({"/version": {}}) as (url, _):
        outcome = examined(tmp_path, url)
    assert "no vLLM server answers" in outcome.findings[0].message
    assert examined(tmp_path, "").state == "not concerned"
    assert examined(tmp_path, "http://a b").state == "skipped"


def examined(folder: Path, url: str, trl: str = "1.16.0", **arguments: Any) -> Outcome:
    """What the rule makes of a run and the server at this address."""
    model = folder / "models/policy"
    model.mkdir(parents=True, exist_ok=True)
    (model / "config.json").write_text('{"model_type": "llama"}')
    run = {"trainer": "grpo", "model_name_or_path": "models/policy", "use_vllm": True, **arguments}
    (folder / "run.json").write_text(json.dumps(run))
    world = Environment(Path("python"), (), {"trl": Version(trl)})
    opened = open_run(
        target(str(folder / "run.json"), offline=True),
        world,
        Options(offline=True, vllm_server=url),
    )
    (outcome,) = examine(opened, world, [RULE]).outcomes
    return outcome


@contextmanager
def serving(answers: dict[str, Any], redirect: str = "") -> Iterator[tuple[str, list[str]]]:
    """A server with these answers by path; its address, and the requests it got."""
    requests: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            requests.append(f"{self.command} {self.path}")
            answer = answers.get(self.path)
            self.send_response(302 if redirect else 404 if answer is None else 200)
            if redirect:
                self.send_header("Location", redirect + self.path)
            self.end_headers()
            data = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
            self.wfile.write(data)

        def log_message(self, *_: Any) -> None:
            """Nothing is logged."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", requests
        finally:
            server.shutdown()


@contextmanager
def dribbling(first: bytes) -> Iterator[str]:
    """A server that says this, and then a byte now and then."""
    over = threading.Event()

    def dribble(listening: socket.socket) -> None:
        connection, _ = listening.accept()
        with connection:
            connection.sendall(first)
            while not over.wait(0.05):
                try:
                    connection.sendall(b"x")
                except OSError:
                    return

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=dribble, args=(listening,))
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        over.set()
        thread.join(5)
