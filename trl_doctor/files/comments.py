"""Comments for the doctor: `# trl-doctor: trainer=sft`, `# trl-doctor: ignore[rule] why`."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping

from msgspec import Struct, field

MARK = r"(?m)#\s*trl-doctor:[ \t]*(.*?)\s*$"
IGNORE = r"ignore\s*\[([^\]]*)\]\s*(.*)$"
LAUNCHED = r"(?m)^\s*#.*?\btrl\s+([a-z_]+)\s.*--config\b"


class Comment(Struct, frozen=True):
    """A comment on a line (counted from 1), and its instructions.

    `stated` are its words `key=value`; `ignored` the rules that it ignores, for `reason`. `alone`
    says that the line contains only the comment. `problem` is the part that is not understood.
    """

    line: int
    alone: bool
    stated: Mapping[str, str] = field(default_factory=dict)
    ignored: tuple[str, ...] = ()
    reason: str = ""
    problem: str = ""


def comments(text: str) -> Iterator[Comment]:
    """The comments in a YAML text that are instructions to trl-doctor."""
    for match in re.finditer(MARK, text):
        start = text.rfind("\n", 0, match.start()) + 1
        line = text.count("\n", 0, match.start()) + 1
        yield _comment(line, not text[start : match.start()].strip(), match[1])


def launched_by(text: str) -> str:
    """The trainer of a command line `trl sft … --config` in the comments; "" for none."""
    command = re.search(LAUNCHED, text)
    return command[1] if command else ""


def _comment(line: int, alone: bool, text: str) -> Comment:
    if text.startswith("ignore"):
        match = re.match(IGNORE, text)
        rules = tuple(rule.strip() for rule in match[1].split(",")) if match else ()
        if not match or not all(rules):
            return Comment(line, alone, problem="write it as `ignore[rule] reason`")
        if not match[2]:
            return Comment(line, alone, problem=f"write why {', '.join(rules)} is ignored, after ]")
        return Comment(line, alone, ignored=rules, reason=match[2])
    try:
        words = shlex.split(text)
    except ValueError as error:
        return Comment(line, alone, problem=str(error))
    pairs = [word.partition("=") for word in words]
    for key, equals, value in pairs:
        if not (key and equals and value):
            return Comment(line, alone, problem=f"{key or '='} is not `key=value`")
    if not pairs:
        return Comment(line, alone, problem="it is empty")
    return Comment(line, alone, {key: value for key, _, value in pairs})
