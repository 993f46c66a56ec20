"""The state that a running vLLM server reports: version, model, length, log-probabilities."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from msgspec import Struct
from msgspec.structs import replace

from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts

LARGEST = 4 * 1024**2
"""The most bytes of an answer that are read."""

SECONDS, SLOW_SECONDS = 5.0, 30.0
"""Time limits for a plain request, and for the whole configuration, which takes longer."""


class ServerState(Struct, frozen=True):
    """The state that a server reported.

    `unlike` is the reason why it is no usable vLLM server, and empty if it is one;
    values that a server does not report are None. `model` is what it loaded, `length` the most
    tokens of prompt and completion. `developing` says whether it offers what TRL needs beyond the
    public interface; it is None if this could not be read, for the reason in `unknown_because`.
    `weight_transfer` is the backend that receives weights, "" for none. `tokenizer` names
    the files of its tokenizer.
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
    unknown_because: str = ""


ABSENT = "status 404"
"""The answer of a server to a path that it does not offer."""


class Silent(Exception):
    """There is no answer, or none that can be used; the message is a clause."""


def server(facts: Facts) -> ServerState:
    """The state of the server that the user named; `NotConcerned` if none is named."""
    if not facts.run.vllm_server:
        raise NotConcerned("no vLLM server was named (--vllm-server URL)")
    return server_state(facts.run.vllm_server)


def server_state(url: str, timeout: float = SECONDS, slow: float = SLOW_SECONDS) -> ServerState:
    """Read a server's state; nothing is generated, loaded or changed on it.

    `timeout` is in seconds for each request, `slow` for the configuration. Redirects and
    proxies are not followed. Raises `Unavailable` if the address is not valid.
    """
    base = address_of(url)
    try:
        version = _text(json_at(base, "/version", timeout).get("version"))
        listed = json_at(base, "/v1/models", timeout).get("data")
    except Silent as reason:
        return ServerState(base, str(reason))
    model = listed[0] if isinstance(listed, list) and listed else None
    if version is None or not isinstance(model, dict):
        return ServerState(base, "it does not answer like a vLLM server")
    state = ServerState(
        base,
        version=version,
        model=_text(model.get("root")) or _text(model.get("id")),
        length=_positive_number(model.get("max_model_len")),
    )
    try:
        config = json_at(base, "/server_info?config_format=json", slow).get("vllm_config")
    except Silent as reason:
        if ABSENT in str(reason):
            return state
        return replace(state, developing=None, unknown_because=str(reason))
    if not isinstance(config, dict):
        return replace(state, developing=None, unknown_because="/server_info has no vllm_config")
    return _configured(state, config)


def _configured(state: ServerState, engine_config: Mapping[str, Any]) -> ServerState:
    config, transfer = (
        engine_config.get("model_config"),
        engine_config.get("weight_transfer_config"),
    )
    config = config if isinstance(config, dict) else {}
    backend = transfer.get("backend") if isinstance(transfer, dict) else None
    return ServerState(
        state.address,
        version=state.version,
        model=_text(config.get("model")) or state.model,
        length=_positive_number(config.get("max_model_len")) or state.length,
        logprobs=_text(config.get("logprobs_mode")),
        developing=True,
        weight_transfer=_text(backend) or "",
        tokenizer=_text(config.get("tokenizer")),
        dtype=(_text(config.get("dtype")) or "").removeprefix("torch.") or None,
    )


def address_of(url: str) -> str:
    """Scheme, host and port; other parts of the URL, such as a password, are not sent."""
    try:
        split = urlsplit(url if "//" in url else f"http://{url}")
        host, port = split.hostname, split.port
    except ValueError as error:
        raise Unavailable(f"--vllm-server is not an address: {error}") from error
    if split.scheme not in ("http", "https") or not host or any(ord(c) <= 32 for c in host):
        raise Unavailable("--vllm-server is not an address like http://127.0.0.1:8000")
    host = f"[{host}]" if ":" in host else host
    return f"{split.scheme}://{host}" + (f":{port}" if port else "")


def json_at(base: str, path: str, timeout: float) -> Mapping[str, Any]:
    """The JSON object at a path. Raises `Silent`, also after `timeout` seconds."""
    answers: list[bytes | Silent] = []
    reading = threading.Thread(
        target=lambda: answers.append(_response(base + path, timeout)),
        name="vllm-server",
        daemon=True,
    )
    reading.start()
    reading.join(timeout)
    if not answers:
        raise Silent(f"{path} is not answered within {timeout:g} s")
    (answer,) = answers
    if isinstance(answer, Silent):
        raise answer
    try:
        value = json.loads(answer)
    except (ValueError, RecursionError) as error:
        raise Silent(f"{path} is not answered with JSON") from error
    if not isinstance(value, dict):
        raise Silent(f"{path} is not answered with a JSON object")
    return value


def _response(url: str, timeout: float) -> bytes | Silent:
    """The answer's bytes, or the reason why there are none."""
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


def _positive_number(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None
