"""Whether an error arose only where a rehearsal's own change of an argument has led."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from trl_doctor.files.regular import text_of
from trl_doctor.probes.layout.argument_tables import NO_GPU
from trl_doctor.probes.rehearsal.settings.cutting import CPU, ENGINE
from trl_doctor.rehearsing.events import Event, Events

ELSEWHERE = frozenset(name for name, (_, why) in CPU.items() if why in (NO_GPU, ENGINE))
"""The arguments with which the job takes another way than a rehearsal."""


def replaced(events: Events, event: Event) -> str:
    """The argument that sends the job elsewhere: a line of TRL that failed depends on it.

    "" if none does. Only arguments count that this machine made a rehearsal change.
    """
    changed = {str(event["name"]) for event in events.of("changed")
               if event.get("given") and event["name"] in ELSEWHERE}  # fmt: skip
    for file, number, *_ in reversed(event["frames"]) if changed else ():
        if _of_trl(Path(file)):
            for test in _conditions(Path(file), int(number)):
                names = {getattr(node, "attr", getattr(node, "id", "")) for node in ast.walk(test)}
                if shared := sorted(changed & names):
                    return shared[0]
    return ""


def _of_trl(file: Path) -> bool:
    """Whether a file is one of the installed trl, not of a folder that has its name."""
    folders = set(pairwise(file.parts))
    return bool({("site-packages", "trl"), ("dist-packages", "trl")} & folders)


def _conditions(file: Path, line: int) -> Iterator[ast.expr]:
    """What decides whether a line is reached, within its function."""
    try:
        tree = ast.parse(text_of(file))
    except (OSError, ValueError, SyntaxError, RecursionError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and any(
            statement.lineno <= line <= (statement.end_lineno or 0)
            for statement in (*node.body, *node.orelse)
        ):
            yield node.test
