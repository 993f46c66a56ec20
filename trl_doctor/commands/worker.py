"""In a process that examines targets for another: what they share is made once."""

from __future__ import annotations

from trl_doctor.checkup.request import Request
from trl_doctor.checkup.session import Session, session
from trl_doctor.commands.examining import Examined, examined

_SHARED: list[tuple[Request, Session]] = []


def start(request: Request) -> None:
    """Make what all targets of a request share."""
    from trl_doctor.asking import rendering
    from trl_doctor.checkup.discover import discover

    rendering.shared().start()
    _SHARED.append((request, session(request, discover().rules)))


def examined_there(request: Request, target: str) -> list[Examined]:
    """A target of a request, whose shared part is made where another's was."""
    if not _SHARED or _SHARED[0][0] != request:
        _SHARED.clear()
        start(request)
    return examined(*_SHARED[0], target)
