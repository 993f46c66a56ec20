"""Where a script ends itself: by `sys.exit`, or by `raise SystemExit`, which calls no function."""

from __future__ import annotations

import sys
import threading
from typing import Any

from .record import Record
from .where import here, is_own, own_line

RECORDS = "exit_recorded"
"""The function that stands for `sys.exit`: what passes it is told already."""


def watch(record: Record) -> None:
    """Report each `sys.exit` with its line."""
    leave = sys.exit

    def exit_recorded(*args: Any) -> None:
        caller = sys._getframe(1)
        own = is_own(caller.f_code.co_filename)
        message = None if own else caller.f_locals.get("message")  # of argparse
        record.add("exit", status=args[0] if args else 0, at=here(), own=own,
                   message=message if isinstance(message, str) else "",
                   main=threading.current_thread() is threading.main_thread())  # fmt: skip
        leave(*args)

    sys.exit = exit_recorded  # type: ignore[assignment]


def raised(record: Record, error: SystemExit) -> None:
    """Report an exit that the script has raised itself, where we run the script."""
    entry, names = error.__traceback__, set()
    while entry is not None:
        names.add(entry.tb_frame.f_code.co_name)
        entry = entry.tb_next
    at = own_line(error)
    if at and RECORDS not in names:
        record.add("exit", status=error.code, at=at, own=True, message="", main=True)
