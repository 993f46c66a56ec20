"""What a running vLLM server says about itself: version, model, length, log-probabilities."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts

LARGEST = 4 * 1024**2
"""Bytes of an answer that are read."""

SECONDS, SLOW_SECONDS = 5.0, 30.0
"""For a plain question, and for the server's whole configuration, which takes it a while."""


@dataclass(frozen=True)
class ServerState:
    """What a server told.

    `unlike` says why it is no vLLM server that can be asked, and is empty for one that is; what a
    server does not tell is None. `model` is what it loaded, `length` the most tokens of prompt and
    completion. `developing` says whether it offers what TRL needs beside the public interface, and
    is None where that could not be asked: then `untold` says why. `weight_transfer` is the backend
    by which it takes weights, "" for none. `tokenizer` is where it loaded that from.
    """

    address: str
    unlike: str = ""
    version: str | None = None
    model: str | None = None
    length: int | None = None
    logprobs: str | None = None
    developing: bool | None = False
    weight_transfer: str | None = None
    tokenizer: str | None = None
    dtype: str | None = None
    untold: str = ""


ABSENT = "status 404"
"""How a server answers to what it does not offer."""


class Silent(Exception):
    """No answer, or none that can be used; the message is a clause."""


def server(facts: Facts) -> ServerState:
    """The state of the server that the user named; `NotConcerned` where none was."""
    if not facts.run.vllm_server:
        raise NotConcerned("no vLLM server was named (--vllm-server URL)")
    return server_state(facts.run.vllm_server)


def server_state(url: str, timeout: float = SECONDS, slow: float = SLOW_SECONDS) -> ServerState:
    """Ask a server about itself; nothing is generated, loaded or changed there.

    `timeout` are the seconds for each question, `slow` those for its configuration. Redirects and
    proxies are not followed. Raises `Unavailable` where the address is none.
    """
    base = _address(url)
    try:
        version = _text(_asked(base, "/version", timeout).get("version"))
        listed = _asked(base, "/v1/models", timeout).get("data")
    except Silent as reason:
        return ServerState(base, str(reason))
    model = listed[0] if isinstance(listed, list) and listed else None
    if version is None or not isinstance(model, dict):
        return ServerState(base, "its answers are not those of a vLLM server")
    state = ServerState(
        base,
        version=version,
        model=_text(model.get("root")) or _text(model.get("id")),
        length=_whole(model.get("max_model_len")),
    )
    try:
        told = _asked(base, "/server_info?config_format=json", slow).get("vllm_config")
    except Silent as reason:
        if ABSENT in str(reason):
            return state
        return replace(state, developing=None, untold=str(reason))
    if not isinstance(told, dict):
        return replace(state, developing=None, untold="/server_info tells no vllm_config")
    return _configured(state, told)


def _configured(state: ServerState, told: Mapping[str, Any]) -> ServerState:
    config, transfer = told.get("model_config"), told.get("weight_transfer_config")
    config = config if isinstance(config, dict) else {}
    backend = transfer.get("backend") if isinstance(transfer, dict) else None
    return ServerState(
        state.address,
        version=state.version,
        model=_text(config.get("model")) or state.model,
        length=_whole(config.get("max_model_len")) or state.length,
        logprobs=_text(config.get("logprobs_mode")),
        developing=True,
        weight_transfer=_text(backend) or "",
        tokenizer=_text(config.get("tokenizer")),
        dtype=(_text(config.get("dtype")) or "").removeprefix("torch.") or None,
    )


def _address(url: str) -> str:
    """Scheme, host and port; what else the URL has, a password too, goes nowhere."""
    try:
        parts = urlsplit(url if "//" in url else f"http://{url}")
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise Unavailable(f"--vllm-server is not an address: {error}") from error
    if parts.scheme not in ("http", "https") or not host or any(ord(c) <= 32 for c in host):
        raise Unavailable("--vllm-server is not an address like http://127.0.0.1:8000")
    host = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{host}" + (f":{port}" if port else "")


def _asked(base: str, path: str, timeout: float) -> Mapping[str, Any]:
    """The JSON object at a path. Raises `Silent`, in time whatever the server does."""
    found: list[bytes | Silent] = []
    reading = threading.Thread(
        target=lambda: found.append(_read(base + path, timeout)), name="vllm-server", daemon=True
    )
    reading.start()
    reading.join(timeout)
    if not found:
        raise Silent(f"{path} is not answered within {timeout:g} s")
    (answer,) = found
    if isinstance(answer, Silent):
        raise answer
    try:
        value = json.loads(answer)
    except (ValueError, RecursionError) as error:
        raise Silent(f"{path} is not answered with JSON") from error
    if not isinstance(value, dict):
        raise Silent(f"{path} is not answered with a JSON object")
    return value


def _read(url: str, timeout: float) -> bytes | Silent:
    """The answer's bytes, or why there are none."""
    import http.client
    import urllib.error
    import urllib.request

    class Stay(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *_: Any, **__: Any) -> None:
            return None

    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), Stay())
    path = url.partition("?")[0].partition("//")[2].partition("/")[2]
    try:
        with opener.open(url, timeout=timeout) as answer:
            data: bytes = answer.read(LARGEST + 1)
    except urllib.error.HTTPError as error:
        error.close()
        return Silent(f"/{path} is answered with status {error.code}")
    except urllib.error.URLError as error:
        return Silent(f"nothing answers: {error.reason}")
    except (OSError, http.client.HTTPException, ValueError) as error:
        return Silent(f"/{path} is not answered in HTTP: {type(error).__name__}")
    return Silent(f"the answer to /{path} is too large") if len(data) > LARGEST else data


def _text(value: object) -> str | None:
    return value[:300] if isinstance(value, str) and value else None


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None
