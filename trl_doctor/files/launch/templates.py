"""A YAML file that another program fills in: Helm, Jinja, the expressions of GitHub."""

from __future__ import annotations

import re

from trl_doctor.files.unknown_word import PLACEHOLDER

EXPRESSION = re.compile(rb"\$?\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}", re.DOTALL)
ALONE = re.compile(rb"(?m)^[ \t]*(?:\{\{.*?\}\}|\{%.*?%\})[ \t]*\r?$")
"""A line that holds nothing else: a condition, a loop, an inclusion."""


def plain_yaml(data: bytes) -> bytes:
    """The file with `PLACEHOLDER` for each value that is filled in; lines keep their numbers."""
    if b"{{" not in data and b"{%" not in data:
        return data
    return EXPRESSION.sub(_filled, ALONE.sub(b"", data))


def _filled(match: re.Match[bytes]) -> bytes:
    lines = b"\n" * match[0].count(b"\n")
    return lines if match[0].startswith((b"{%", b"{#")) else PLACEHOLDER.encode() + lines
