"""The events of a YAML 1.1 text, in PyYAML's dialect."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import ScalarEvent
from ruamel.yaml.reader import Reader
from ruamel.yaml.resolver import VersionedResolver
from ruamel.yaml.scanner import Scanner

from trl_doctor.files.formats.text import Invalid, position

TAB = "use spaces here, not a tab"
_HINTS = (
    (r"found character '\\t'", TAB),
    (
        "mapping values are not allowed",
        "a ':' too many on this line: quote the value, or indent the line as the one above",
    ),
    ("expected <block end>", "the indentation does not fit the lines above"),
    ("expected the node content", "a value is missing"),
    ("got '<stream end>'", "a bracket is not closed"),
    ("found unexpected end of stream", "a quote is not closed"),
    ("special characters", "a character that YAML does not allow"),
)


class _Characters(Reader):
    forward = Reader.forward_1_1


class _Tokens(Scanner):
    scanner_processing_version = (1, 1)

    def stale_possible_simple_keys(self) -> None:
        """Ask the reader once, not for each bracket that is open."""
        if keys := self.possible_simple_keys.values():
            line, index = self.reader.line, self.reader.index
            for key in keys:
                if key.line != line or index - key.index > 1024:
                    return super().stale_possible_simple_keys()


class _Dialect(VersionedResolver):
    processing_version = (1, 1)  # whatever a %YAML line or the --- before a document says


def events(text: str) -> Iterator[Any]:
    """The parser's events (`ruamel.yaml.events`), one by one; raises `Invalid`."""
    yaml = YAML(typ="safe", pure=True)
    yaml.Scanner = _Tokens
    yaml.Resolver = _Dialect
    yaml.top_level_block_style_scalar_no_indent_error_1_1 = True
    yaml.Reader = _Characters
    try:
        yield from yaml.parse(text)
    except YAMLError as error:
        raise _translated(text, error) from None
    except (ValueError, ArithmeticError, LookupError):
        raise Invalid("is not valid YAML: there is an escape for no character") from None


def _translated(text: str, error: YAMLError) -> Invalid:
    if isinstance(error, MarkedYAMLError):
        problem, mark = str(error.problem), error.problem_mark or error.context_mark
        index = mark.index if mark else None
    else:
        problem, index = str(error).splitlines()[0], getattr(error, "position", None)
    problem = next((hint for form, hint in _HINTS if re.search(form, problem)), problem)
    at = None if index is None else position(text, index)
    return Invalid(f"is not valid YAML: {problem}", at)


def is_merge(event: Any) -> bool:
    """Whether this event is the key `<<`, whose mappings are merged into the one that has it."""
    if not isinstance(event, ScalarEvent) or event.value != "<<":
        return False
    return event.tag == "tag:yaml.org,2002:merge" or (
        event.tag in (None, "!") and bool(event.implicit[0])
    )
