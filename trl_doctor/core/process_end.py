"""How a process ended, as a clause for messages."""

from __future__ import annotations

import signal


def ended(status: int | None) -> str:
    """An exit status as a clause: `it was killed by SIGSEGV`, `it exited with status 3`.

    A signal's number is negative; None is a process that has not ended.
    """
    if status is None:
        return "it does not respond"
    if status >= 0:
        return f"it exited with status {status}"
    try:
        name = signal.Signals(-status).name
    except ValueError:
        name = f"signal {-status}"
    if name == "SIGKILL":
        return "it was killed (SIGKILL), probably by the system because memory ran out"
    return f"it was killed by {name}"
