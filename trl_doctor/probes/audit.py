"""Watches what Python says that this process does: opens a file, connects, starts a process.

Python asks a hook about each `id()` and each frame that code looks at, half a million times in a
rehearsal. So there is one hook for all, and it asks only who waits for the event.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any

Handler = Callable[[str, tuple[Any, ...]], None]
"""Called with the name of an event and its arguments; what it raises ends what would be done."""

_handlers: dict[str, list[Handler]] = {}


def watch(events: Iterable[str], handler: Handler) -> None:
    """From now on call a handler at each of these audit events, in this process and its forks."""
    if not _handlers:
        sys.addaudithook(_hook)
    for event in events:
        waiting = _handlers.setdefault(event, [])
        if handler not in waiting:
            waiting.append(handler)


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if event in _handlers:
        for handler in _handlers[event]:
            handler(event, arguments)
