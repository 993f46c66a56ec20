"""What a shell makes of a known value: `${X%.yaml}`, `${X##*/}`, `${#LIST[@]}`, `$(seq 3)`."""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Callable
from fnmatch import translate

from trl_doctor.files.launch.shell.variables import Shell

CUT = re.compile(r"([A-Za-z_]\w*|\d)(%%?|##?)(.+)")
REPLACED = re.compile(r"([A-Za-z_]\w*|\d)(//?)(?![#%])([^/*?\[]+)/?([^/]*)")
COUNT = re.compile(r"#([A-Za-z_]\w*)(\[[@*]\])?")
DEFAULT = re.compile(r"((?:[A-Za-z_]\w*|\d+):?[-=])(.*\$.*)", re.DOTALL)
"""A default that names other variables."""

MOST = 1000
"""Numbers of `seq` that are read."""

Value = Callable[[str], str | None]


def of_braces(inside: str, shell: Shell, value: Value) -> str | None:
    """The text of `${ … }` that cuts, replaces or counts a known value; None for all others."""
    if match := COUNT.fullmatch(inside):
        words = shell.variables.get(match[1])
        if words is None or any(word.open for word in words):
            return None
        return str(len(words) if match[2] else len(" ".join(word.text for word in words)))
    if match := CUT.fullmatch(inside):
        text, pattern = value(f"${{{match[1]}}}"), value(match[3])
        return None if text is None or pattern is None else _cut(text, match[2], pattern)
    if match := REPLACED.fullmatch(inside):
        text, old, new = value(f"${{{match[1]}}}"), value(match[3]), value(match[4])
        if text is not None and old and new is not None:
            return text.replace(old, new, -1 if match[2] == "//" else 1)
    return None


def _cut(text: str, how: str, pattern: str) -> str:
    """The text without its end or its beginning that has the pattern, the shortest or longest."""
    form = re.compile(translate(pattern))
    ends = how[0] == "%"
    parts = [(text[at:], text[:at]) if ends else (text[:at], text[at:])
             for at in range(len(text) + 1)]  # fmt: skip
    if ends == (how in ("%", "#")):
        parts.reverse()
    return next((rest for part, rest in parts if form.match(part)), text)


def with_default(inside: str, value: Value) -> str:
    """`NAME:-default` with the variables of the default filled in, where they are known."""
    match = DEFAULT.fullmatch(inside)
    default = value(match[2].strip('"')) if match else None
    return inside if match is None or default is None else match[1] + default


def printed(command: str, value: Value) -> str | None:
    """What `seq`, `basename`, `dirname` and `echo` print; None for other commands."""
    try:
        words = [value(word) for word in shlex.split(command)]
    except ValueError:
        return None
    known = [word for word in words if word is not None]
    if len(known) < len(words) or len(known) < 2 or any(mark in command for mark in "|;&<>`"):
        return None
    name, arguments = known[0], known[1:]
    if name == "seq" and all(re.fullmatch(r"-?\d{1,6}", word) for word in arguments):
        return _seq([int(word) for word in arguments])
    if name == "basename" and not arguments[0].startswith("-"):
        base = posixpath.basename(arguments[0].rstrip("/"))
        end = arguments[1] if len(arguments) > 1 else ""
        return base.removesuffix(end) if end != base else base
    if name == "dirname" and len(arguments) == 1:
        return posixpath.dirname(arguments[0]) or "."
    return " ".join(arguments) if name == "echo" and not arguments[0].startswith("-") else None


def _seq(numbers: list[int]) -> str | None:
    first = 1 if len(numbers) == 1 else numbers[0]
    step, last = numbers[1] if len(numbers) > 2 else 1, numbers[-1]
    if step == 0:
        return None
    return " ".join(map(str, range(first, last + (1 if step > 0 else -1), step)[:MOST]))
