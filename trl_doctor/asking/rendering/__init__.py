"""A chat template and messages become text, in a process of their own with limits."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import threading
import time
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, TypeAlias

from msgspec import Struct, field, to_builtins
from msgspec.structs import asdict

from trl_doctor.asking.rendering.process import Gone, RendererProcess
from trl_doctor.core.finding import Json
from trl_doctor.core.unavailable import Unavailable

Message: TypeAlias = Mapping[str, Json]

LONGEST_TEMPLATE = 1_000_000
"""Characters. The longest templates that people publish have about 30,000."""

LONGEST_TOKENS = 4_000_000
"""Characters of the special tokens that one request hands to a template."""

PATIENCE = 20.0
"""Seconds beyond the limits of a request after which the server counts as hung."""

MOST_REMEMBERED = 64
"""Answers kept, so that a hundred checkpoints with one template cost one rendering."""

SAYINGS = {
    "raised": "raises",
    "syntax": "does not parse",
    "refused": "does what the sandbox forbids",
    "error": "fails",
    "depth": "nests too deep",
    "memory": "takes too much memory",
    "time": "takes too long",
    "size": "is too large",
    "crash": "makes the renderer crash",
}


class TemplateFailed(Unavailable):
    """A chat template produced no text. The message is a clause, as for any `Unavailable`.

    `kind` is a key of `SAYINGS`, `message` is that of the template or of jinja2, `line` is a
    line of the template, from 1, or None if the failure has no line.
    """

    def __init__(self, kind: str, message: str, line: int | None = None) -> None:
        place, reason = f" at line {line}" if line else "", f": {message}" if message else ""
        super().__init__(f"the chat template {SAYINGS.get(kind, 'fails')}{place}{reason}")
        self.kind, self.message, self.line = kind, message, line


class RenderingLimits(Struct, frozen=True):
    """What one request may use: seconds of processor and of clock, bytes, characters."""

    cpu_s: int = 2
    wall_s: float = 10.0
    memory: int = 256 << 20
    output: int = 1_000_000


USUAL_LIMITS = RenderingLimits()


class Render(Struct, frozen=True):
    """One conversation to render, with the variables that the template sees besides.

    `aliases` is whether what was thought is passed under all names that templates have for it.
    """

    messages: Sequence[Message]
    variables: Mapping[str, Json] = field(default_factory=dict)
    add_generation_prompt: bool = False
    tools: Sequence[Json] | None = None
    aliases: bool = True


class Rendered(Struct, frozen=True):
    """The text, and the spans of it that `{% generation %}` marks, as (start, end)."""

    text: str
    generation: tuple[tuple[int, int], ...] = ()


class Renderer:
    """A process that renders chat templates, as transformers 5.23 does, with limits.

    It starts with `start()` or with the first request, and again after it died. It can be used
    by several threads, and must be closed.
    """

    def __init__(self, limits: RenderingLimits = USUAL_LIMITS, patience: float = PATIENCE) -> None:
        self._limits, self._patience = limits, patience
        self._server: RendererProcess | None = None
        self._known: dict[bytes, list[Any]] = {}
        self._lock = threading.Lock()

    def __enter__(self) -> Renderer:
        self.start()
        return self

    def __exit__(self, *why: object) -> None:
        self.close()

    def start(self) -> None:
        """Start the process without waiting for it; `render` raises the errors of the start."""
        with self._lock, contextlib.suppress(Unavailable):
            self._running()

    def close(self) -> None:
        """End the process and all that it started; the next request starts a new one."""
        with self._lock:
            self._end()

    def render(
        self,
        template: str,
        messages: Sequence[Message],
        variables: Mapping[str, Json] | None = None,
        add_generation_prompt: bool = False,
    ) -> str:
        """The text of one conversation. Raises `TemplateFailed`, or `Unavailable`."""
        answer = self.render_all(
            template, [Render(messages, variables or {}, add_generation_prompt)]
        )[0]
        if isinstance(answer, TemplateFailed):
            raise answer
        return answer.text

    def render_all(
        self, template: str, renders: Sequence[Render]
    ) -> list[Rendered | TemplateFailed]:
        """One answer per render; the template is compiled once, and the limits are shared.

        Raises `Unavailable` if nothing can be rendered on this machine.
        """
        if len(template) > LONGEST_TEMPLATE:
            long = TemplateFailed("size", f"it has {len(template):,} characters")
            return [long] * len(renders)
        variables = [value for render in renders for value in render.variables.values()]
        characters = sum(len(value) for value in variables if isinstance(value, str))
        if characters > LONGEST_TOKENS:
            raise Unavailable("the special tokens are too long to render the chat template with")
        request = {
            "template": template,
            "limits": to_builtins(self._limits),
            "renders": [_asked_for(render) for render in renders],
        }
        return [
            _answer(answer) for answer in self._answers_to(json.dumps(request).encode() + b"\n")
        ]

    def _answers_to(self, request: bytes) -> list[Any]:
        with self._lock:
            if request not in self._known:
                if len(self._known) >= MOST_REMEMBERED:
                    self._known.clear()
                self._known[request] = self._exchanged(request)
            return self._known[request]

    def _exchanged(self, request: bytes) -> list[Any]:
        """The answer to a request, from a second server where the first one died or hung."""
        for _ in range(2):
            try:
                deadline = time.monotonic() + self._limits.wall_s + self._patience
                answer: list[Any] = json.loads(self._running().exchange(request, deadline))
                return answer
            except (Gone, ValueError):
                self._end()
            except BaseException:
                self._end()
                raise
        raise Unavailable("the process that renders chat templates died or hung twice")

    def _running(self) -> RendererProcess:
        if self._server is not None and self._server.owner != os.getpid():
            self._server = None
        if self._server is None:
            self._server = RendererProcess()
        return self._server

    def _end(self) -> None:
        if self._server is not None and self._server.owner == os.getpid():
            self._server.kill()
        self._server = None


@cache
def shared() -> Renderer:
    """The renderer of this process: the facts ask it, and it ends with the process."""
    renderer = Renderer()
    atexit.register(renderer.close)
    return renderer


def _asked_for(render: Render) -> dict[str, Any]:
    messages = [{**message} for message in render.messages]
    return {**asdict(render), "messages": messages, "variables": {**render.variables}}


def _answer(answer: Any) -> Rendered | TemplateFailed:
    if "text" in answer:
        spans = tuple((start, end) for start, end in answer["generation"])
        return Rendered(answer["text"], spans)
    if answer["error"] == "unavailable":
        raise Unavailable(f"chat templates cannot be rendered: {answer['message']}")
    return TemplateFailed(answer["error"], answer["message"], answer["line"])
