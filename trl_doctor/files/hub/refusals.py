"""Why the Hub refuses a request, and what to do about it."""

from __future__ import annotations

import errno
import ssl
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from trl_doctor.files.hub import store


class Reason(msgspec.Struct):
    """A reason as a clause; `again` says that an earlier copy can be used instead."""

    message: str
    again: bool = True


class HubRefusal(Exception):
    """The Hub gave no usable answer, for this reason."""

    def __init__(self, message: str, *, again: bool = True) -> None:
        super().__init__(message)
        self.reason = Reason(message, again)


def refusal(error: Exception, repo: str, revision: str, wait: float) -> Reason:
    """The meaning of an error of huggingface_hub, its HTTP library or the disk."""
    from huggingface_hub import errors

    if isinstance(error, HubRefusal):
        return error.reason
    if isinstance(error, errors.GatedRepoError):
        page, advice = f"{_endpoint()}/{repo}", _log_in()
        if _token():
            advice = "ask for access with the account of your token"
        return Reason(f"{repo} is gated: accept its terms on {page}, then {advice}", again=False)
    if isinstance(error, errors.RevisionNotFoundError):
        return Reason(f"{repo} has no revision {revision!r} on {store.host()}", again=False)
    if isinstance(error, errors.RepositoryNotFoundError):
        private = "that your token may read" if _token() else f"(if it is private, {_log_in()})"
        return Reason(f"there is no repository {repo} on {store.host()} {private}", again=False)
    for cause in _causes(error):
        if isinstance(cause, errors.HfHubHTTPError):
            return _status(cause, repo)
    return Reason(_trouble(error, wait))


def _status(error: Any, repo: str) -> Reason:
    status, host = error.response.status_code, store.host()
    answer = "".join(
        letter for letter in str(error.server_message or "")[:200] if letter.isprintable()
    )
    if status == 401:
        return Reason(f"{host} does not know your token (any more): {_log_in()}", again=False)
    if status == 403:
        return Reason(f"{host} refuses access to {repo}: {answer or '403'}", again=False)
    if status == 429:
        return Reason(f"{host} asks to slow down (429){_pause(error.response.headers)}")
    return Reason(f"{host} fails ({status})")


def _trouble(error: Exception, wait: float) -> str:
    """Errors below the Hub's own: connection, disk, an unusable answer."""
    causes, host = list(_causes(error)), store.host()
    names = " ".join(type(cause).__name__ for cause in causes)
    disk = next((c for c in causes if isinstance(c, OSError) and c.errno in DISK), None)
    if disk:
        return f"cannot write to the cache ({disk.strerror}): set XDG_CACHE_HOME"
    if tls := next((c for c in causes if isinstance(c, ssl.SSLError)), None):
        return f"no safe connection to {host} ({tls.reason or 'TLS failed'})"
    if "ConnectTimeout" in names:
        return f"{host} cannot be reached (no connection within {wait:g} s)"
    if "Timeout" in names:
        return f"{host} does not answer (nothing for {wait:g} s)"
    if "Proxy" in names:
        return f"the proxy before {host} refuses"
    if "Connect" in names:
        words = (c.strerror for c in causes if isinstance(c, OSError) and c.strerror)
        return f"{host} cannot be reached ({next(words, 'no connection')})"
    problem = f"{host} gives no usable answer ({type(error).__name__})"
    return f"{problem}: is a proxy or a log-in page in between?"


DISK = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EACCES, errno.ENOTDIR)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    for _ in range(20):
        if error is None:
            return
        yield error
        error = error.__cause__ or error.__context__


def _token() -> bool:
    from huggingface_hub import get_token

    return bool(get_token())


def _log_in() -> str:
    return "run `hf auth login` or set HF_TOKEN"


def _endpoint() -> str:
    scheme, _, location = store.endpoint().partition("://")
    return f"{scheme}://{location.rpartition('@')[2]}"


def _pause(headers: Mapping[str, str]) -> str:
    seconds = headers.get("retry-after", "")
    return f", for {seconds} s" if seconds.isdigit() else ""
