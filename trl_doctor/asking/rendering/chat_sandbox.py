"""The sandbox in which transformers 5.23 renders chat templates, and what comes out of it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

import jinja2
import jinja2.ext
from jinja2.exceptions import SecurityError, TemplateError, TemplateSyntaxError
from jinja2.sandbox import ImmutableSandboxedEnvironment

LONGEST_MESSAGE = 500
"""Longer messages of exceptions are cut: a template can make them as long as it likes."""

LARGE = "what it writes has over {:,} characters"


class Generation(jinja2.ext.Extension):
    """`{% generation %}`: remembers which spans of the text the assistant writes."""

    tags = {"generation"}  # noqa: RUF012

    def __init__(self, environment: jinja2.Environment) -> None:
        super().__init__(environment)
        self.start_over()

    def start_over(self) -> None:
        self.written = 0
        self.spans: list[tuple[int, int]] = []

    def parse(self, parser: jinja2.parser.Parser) -> jinja2.nodes.Node:
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        call = self.call_method("_remember")
        return jinja2.nodes.CallBlock(call, [], [], body).set_lineno(line)

    def _remember(self, caller: jinja2.runtime.Macro) -> str:
        text: str = caller()
        self.spans.append((self.written, self.written + len(text)))
        return text


class Dict:
    """The global `dict` of a template: it makes dicts and is no type."""

    def __call__(self, *args: Any, **kwargs: Any) -> dict[Any, Any]:
        return dict(*args, **kwargs)

    def fromkeys(self, keys: Iterable[Any], value: Any = None) -> dict[Any, Any]:
        return dict.fromkeys(keys, value)


class Namespace(jinja2.utils.Namespace):
    """jinja2's namespace without names that start with an underscore."""

    def __init__(*args: Any, **kwargs: Any) -> None:
        values = dict(*args[1:], **kwargs)
        for name in values:
            refuse_underscore(name)
        jinja2.utils.Namespace.__init__(args[0], values)

    def __setitem__(self, name: str, value: Any) -> None:
        refuse_underscore(name)
        super().__setitem__(name, value)


def refuse_underscore(name: object) -> None:
    """Keep the inner workings of Python out of a namespace."""
    if isinstance(name, str) and name.startswith("_"):
        raise SecurityError(f"a namespace cannot hold {name!r}, which starts with an underscore")


def raise_exception(message: str) -> None:
    """The function with which a template refuses a conversation."""
    raise TemplateError(message)


def tojson(
    x: Any,
    ensure_ascii: bool = False,
    indent: int | str | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    """JSON without the escapes for HTML that jinja2's own filter makes."""
    return json.dumps(
        x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys
    )


def strftime_now(format: str) -> str:
    """The local time: a template may print the date."""
    from datetime import datetime  # few templates ask for it

    return datetime.now().strftime(format)


class Sandbox:
    """Compiles templates and renders conversations, one at a time."""

    def __init__(self) -> None:
        self._environment = ImmutableSandboxedEnvironment(
            trim_blocks=True, lstrip_blocks=True, extensions=[Generation, jinja2.ext.loopcontrols]
        )
        self._environment.filters["tojson"] = tojson
        self._environment.globals.update(
            dict=Dict(),
            namespace=Namespace,
            raise_exception=raise_exception,
            strftime_now=strftime_now,
        )
        tracker = self._environment.extensions[Generation.identifier]
        assert isinstance(tracker, Generation)
        self._tracker = tracker

    def compile(self, text: str) -> jinja2.Template:
        """The compiled template; raises what jinja2 raises."""
        return self._environment.from_string(text)

    def rendered(
        self, template: jinja2.Template, render: Mapping[str, Any], limit: int
    ) -> dict[str, Any]:
        """The answer for one conversation; what the template raises is passed on."""
        self._tracker.start_over()
        variables = {
            **render["variables"],
            "messages": as_passed(render["messages"], aliases=render["aliases"]),
            "tools": render["tools"],
            "documents": None,
            "add_generation_prompt": render["add_generation_prompt"],
        }
        pieces = []
        for piece in template.generate(**variables):
            pieces.append(piece)
            self._tracker.written += len(piece)
            if self._tracker.written > limit:
                return {"error": "size", "message": LARGE.format(limit), "line": None}
        return {"text": "".join(pieces), "generation": self._tracker.spans}

    @staticmethod
    def failure(error: Exception) -> dict[str, Any]:
        """The answer for an exception out of compiling or rendering a template."""
        text = getattr(error, "message", None) or getattr(error, "msg", None) or error
        message = str(text)[:LONGEST_MESSAGE]
        if isinstance(error, SecurityError):
            kind = "refused"
        elif isinstance(error, TemplateSyntaxError):
            return {"error": "syntax", "message": message, "line": error.lineno}
        elif isinstance(error, SyntaxError):
            return {"error": "syntax", "message": message, "line": None}
        elif type(error) is TemplateError:
            kind = "raised"
        elif isinstance(error, RecursionError):
            kind = "depth"
        elif isinstance(error, MemoryError):
            kind, message = "memory", ""
        else:
            kind, message = "error", f"{type(error).__name__}: {message}"
        return {"error": kind, "message": message, "line": line_of(error)}


def as_passed(messages: Iterable[Mapping[str, Any]], *, aliases: bool) -> list[dict[str, Any]]:
    """The messages as they are passed: without nulls, perhaps with all names of the reasoning."""
    passed = []
    for message in messages:
        fields = {key: value for key, value in message.items() if value is not None}
        names = ("reasoning_content", "thinking", "reasoning") if aliases else ()
        reasoning = next((fields[name] for name in names if name in fields), None)
        if reasoning is not None:
            fields = {"thinking": reasoning, **fields, "reasoning_content": reasoning}
        passed.append(fields)
    return passed


def line_of(error: Exception) -> int | None:
    """The line of the template at which it happened, in a macro the macro's, or None."""
    line, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == "<template>":
            line = trace.tb_lineno
        trace = trace.tb_next
    return line
