"""The line at which a script ends itself without a function of Python that could tell it."""

from __future__ import annotations

import ast

from trl_doctor.rehearsing.code_line import CodeLine
from trl_doctor.rehearsing.events import Events
from trl_doctor.rehearsing.syntax import parsed

NAMES = ("SystemExit", "exit", "quit")


def raised_exit(events: Events) -> CodeLine | None:
    """The script's only `raise SystemExit`, `exit()` or `quit()`; None for none or several."""
    for started in reversed(events.of("started")):
        words = started.get("argv", ())
        script = next((word for word in words if str(word).endswith(".py")), None)
        if script is None:
            continue
        whole = events.at([f"{started['folder']}/{script}", 1])
        nodes = ast.walk(parsed(whole.script)) if whole else ()
        lines = {node.lineno for node in nodes if isinstance(node, ast.stmt) and _ends(node)}
        return (
            CodeLine(whole.file, min(lines), whole.notebook) if whole and len(lines) == 1 else None
        )
    return None


def _ends(node: ast.stmt) -> bool:
    """Whether a statement ends the process."""
    if isinstance(node, ast.Raise):
        value = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        value = node.value.func
    else:
        return False
    return isinstance(value, ast.Name) and value.id in NAMES
