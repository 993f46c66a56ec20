"""Questions to the Hub that always end: limits on time and size, and a reason in plain words."""

from __future__ import annotations

import contextlib
import re
import ssl
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from trl_doctor import __version__
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.files.hub import store as hub_store
from trl_doctor.files.hub.together import together

PIECE = 1 << 16


@dataclass(frozen=True)
class HubLimits:
    """Seconds to connect, between two pieces of an answer, and for all; bytes of a file, of all."""

    connect: float = 5.0
    read: float = 15.0
    whole: float = 60.0
    file: int = 64 << 20
    total: int = 256 << 20


class Unreachable(Unavailable):
    """The Hub gave no usable answer this time; what was read from it earlier may serve."""


class Meter:
    """Counts the bytes of all answers together."""

    def __init__(self) -> None:
        self._read = 0
        self._lock = threading.Lock()

    def add(self, count: int) -> int:
        """The number of bytes so far, these ones included."""
        with self._lock:
            self._read += count
            return self._read


@dataclass(frozen=True)
class Line:
    """The way to the Hub for one `resolve`: where, as whom, until when (`time.monotonic`)."""

    endpoint: str
    host: str
    headers: Mapping[str, str]
    limits: HubLimits
    until: float
    halted: threading.Event = field(default_factory=threading.Event)
    meter: Meter = field(default_factory=Meter)

    @property
    def has_token(self) -> bool:
        return "authorization" in self.headers


@dataclass(frozen=True)
class Response:
    """What came back, redirects followed; `pieces` is the body, read as it is asked for."""

    status: int
    headers: Mapping[str, str]
    pieces: Iterator[bytes]


def line(limits: HubLimits) -> Line:
    """Make ready to ask: the endpoint, and the token as huggingface_hub takes it."""
    until = time.monotonic() + limits.whole
    host, endpoint = hub_store.host(), hub_store.endpoint()
    try:
        usable = urlsplit(endpoint).scheme in ("http", "https") and urlsplit(endpoint).hostname
    except ValueError:
        usable = None
    if not usable:
        raise Unavailable("HF_ENDPOINT is not an address that begins with https:// or http://")
    try:
        from huggingface_hub import constants, get_session, get_token

        get_session()
    except (ImportError, ValueError) as error:
        raise Unavailable(f"huggingface_hub cannot be imported: {error}") from error
    headers = {"user-agent": f"trl-doctor/{__version__}", "accept-encoding": "identity"}
    if not constants.HF_HUB_DISABLE_IMPLICIT_TOKEN:
        slow = Unreachable(f"the token for {host} could not be had within {limits.whole:g} s")
        (token,) = together([lambda: _checked(get_token)], until, slow, threading.Event())
        if token:
            headers["authorization"] = f"Bearer {token}"
    return Line(endpoint, host, headers, limits, until)


def _checked(get_token: Callable[[], str | None]) -> str | None:
    """The token; one that cannot stand in a header is refused here, before a library prints it."""
    try:
        token = get_token()
    except Exception as error:
        reason = f"the Hub token cannot be read ({type(error).__name__})"
        raise Unavailable(f"{reason}: see HF_TOKEN and `hf auth login`") from None
    if token and not re.fullmatch(r"[!-~]+", token):
        raise Unavailable("the Hub token (HF_TOKEN, `hf auth login`) holds characters no token has")
    return token


@contextlib.contextmanager
def ask(line: Line, url: str, span: tuple[int, int] | None = None) -> Iterator[Response]:
    """GET a URL, or the bytes of it from `span[0]` up to, not including, `span[1]`.

    A server may ignore the span and answer 200 with everything; what is not read is not waited
    for. Raises `Unreachable`.
    """
    headers = dict(line.headers)
    if span:
        headers["range"] = f"bytes={span[0]}-{span[1] - 1}"
    with contextlib.ExitStack() as stack:
        with _plainly(line):
            answer = stack.enter_context(_opened(url, headers, line.limits))
        yield Response(answer.status, answer.headers, _metered(line, answer.pieces))


@contextlib.contextmanager
def _opened(url: str, headers: Mapping[str, str], limits: HubLimits) -> Iterator[Response]:
    from huggingface_hub import get_session

    session: Any = get_session()
    connect, read = limits.connect, limits.read
    if callable(session.stream):  # httpx: huggingface_hub 1 and later
        patience = (connect, read, read, read)
        with session.stream(
            "GET", url, headers=headers, timeout=patience, follow_redirects=True
        ) as response:
            yield Response(response.status_code, response.headers, response.iter_bytes())
    else:  # requests
        with session.get(url, headers=headers, timeout=(connect, read), stream=True) as response:
            yield Response(response.status_code, response.headers, response.iter_content(PIECE))


def _metered(line: Line, pieces: Iterator[bytes]) -> Iterator[bytes]:
    while not line.halted.is_set():
        with _plainly(line):
            piece = next(pieces, None)
        if piece is None:
            return
        if line.meter.add(len(piece)) > line.limits.total:
            size = f"{line.limits.total / 2**20:.0f} MiB"
            raise Unavailable(f"{line.host} sent more than {size} of configuration and tokenizer")
        yield piece
    raise Unreachable("the fetch was given up")


@contextlib.contextmanager
def _plainly(line: Line) -> Iterator[None]:
    """Turn the errors of the HTTP library into `Unreachable`; never with a header in the text."""
    from huggingface_hub import get_session

    library: Any = sys.modules[type(get_session()).__module__.partition(".")[0]]
    requests = hasattr(library, "RequestException")
    of_library = (
        (library.RequestException,) if requests else (library.HTTPError, library.InvalidURL)
    )
    try:
        yield
    except (*of_library, OSError) as error:
        raise Unreachable(_trouble(error, line)) from None


def _trouble(error: BaseException, line: Line) -> str:
    name, causes = type(error).__name__, list(_causes(error))
    certificate = next((c for c in causes if isinstance(c, ssl.SSLError)), None)
    if certificate:
        return f"no safe connection to {line.host} ({certificate.reason or 'TLS failed'})"
    if "ConnectTimeout" in name:
        return f"{line.host} cannot be reached (no connection within {line.limits.connect:g} s)"
    if "Timeout" in name or any("Timeout" in type(cause).__name__ for cause in causes):
        return f"{line.host} does not answer (nothing for {line.limits.read:g} s)"
    if "Proxy" in name:
        return f"the proxy before {line.host} refuses"
    if "Redirects" in name:
        return f"{line.host} redirects in a circle"
    if "Invalid" in name or "Unsupported" in name:
        return f"{line.host} leads to an address that is none"
    if name in ("ConnectError", "ConnectionError", "NewConnectionError"):
        words = (c.strerror for c in causes if isinstance(c, OSError) and c.strerror)
        return f"{line.host} cannot be reached ({next(words, 'no connection')})"
    return f"{line.host} broke its answer off"


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    for _ in range(20):
        if error is None:
            return
        yield error
        error = error.__cause__ or error.__context__
