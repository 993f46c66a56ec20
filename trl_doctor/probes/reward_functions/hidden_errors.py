"""Mistakes of a reward function that it catches itself: only equal rewards are seen of them."""

from __future__ import annotations

import ast
import contextlib
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

from ..named_objects import nodes, parsed, resolved
from .calls import Sheet
from .rows import Case
from .source import where

MOST = 64
"""Errors of a call that are looked at."""

OF_FORM = re.compile(
    r"indices must be integers|expected string or bytes-like object, got '\w+'"
    r"|the JSON object must be str, bytes or bytearray, not (list|dict)"
    r"|argument must be a string.*, not '(list|dict)'"
)
"""What a TypeError says of completions in another form than the function reads."""

FORMS = (str, list, dict)
"""The forms of completions: none depends on what the model has written."""

BROAD = ("Exception", "BaseException")
TELLS = frozenset({"append", "debug", "error", "exception", "format", "info", "len", "print",
                   "print_exc", "range", "repr", "str", "type", "warn", "warning"})  # fmt: skip
"""What is called where an error is only told, and a reward given in place of the right one."""


NOTHING = frozenset({"0", "None"})
"""The rewards of a completion that a handler passes over."""


IsOwn = Callable[[str], bool]


class Hidden(NamedTuple):
    """An error in words, the user's line that raised it, and the rewards that its handler gives."""

    error: str
    at: tuple[str, int]
    gives: frozenset[str] = frozenset()


class _Seen:
    """Errors that came up in the user's own code, in the order in which they came."""

    def __init__(self, given: Mapping[str, Any], is_own: IsOwn) -> None:
        self.given, self.is_own = given, is_own
        self.errors: dict[int, tuple[BaseException, Hidden | None]] = {}
        self.last: dict[int, tuple[str, int]] = {}

    def call(self, frame: FrameType, event: str, _: Any) -> Any:
        """Follow calls of the user's own functions."""
        if event != "call" or not self.is_own(frame.f_code.co_filename):
            return None
        frame.f_trace_lines = False
        return self.inside

    def inside(self, frame: FrameType, event: str, about: Any) -> Any:
        """Note an error that a function raises, or that one below it has raised."""
        if event == "exception":
            _, error, _ = about
            if id(error) not in self.errors and len(self.errors) < MOST:
                at = frame.f_code.co_filename, frame.f_lineno
                shown = " ".join(f"{type(error).__name__}: {error}".split())[:120]
                certain = _is_mistake(error, frame, self.given)
                self.errors[id(error)] = error, Hidden(shown, at) if certain else None
            self.last[id(error)] = frame.f_code.co_filename, frame.f_lineno
        return self.inside

    def hidden(self) -> Iterator[Hidden]:
        """The mistakes that are caught by a handler which hides any error."""
        for number, (_, error) in self.errors.items():
            if error is not None and (gives := _given(*self.last[number])):
                yield error._replace(gives=gives)


@contextlib.contextmanager
def hidden_errors(given: Mapping[str, Any], is_own: IsOwn) -> Iterator[list[Hidden]]:
    """A list that has them when this ends; `given` are the arguments by name.

    `is_own` says whether a file is the user's.
    """
    found: list[Hidden] = []
    if sys.gettrace() is not None:  # a debugger is at work
        yield found
        return
    seen = _Seen(given, is_own)
    sys.settrace(seen.call)
    try:
        yield found
    finally:
        sys.settrace(None)
    found += dict.fromkeys(seen.hidden())


def hidden_mistake(
    function: Callable[..., Any], sheet: Sheet, cases: Sequence[Case]
) -> tuple[str, str, int, str] | None:
    """A mistake that it catches, as text, file and line, and the reward that all get for it."""
    keywords, folder = sheet.keywords(function, cases), Path(where(function)[0]).parent
    with hidden_errors(keywords, lambda file: Path(file).parent == folder) as hidden:
        try:
            rewards = {"None" if one is None else f"{float(one):g}" for one in function(**keywords)}
        except Exception:  # told already
            return None
    found = (error for error in hidden if rewards and rewards <= error.gives and len(rewards) == 1)
    error = next(found, None)
    return (error.error, *error.at, next(iter(rewards))) if error else None


def _is_mistake(error: BaseException | None, frame: FrameType, given: Mapping[str, Any]) -> bool:
    """Whether it is one whatever the completions say."""
    if isinstance(error, (NameError, ImportError)):
        return True
    if isinstance(error, AttributeError):
        return type(getattr(error, "obj", None)) in FORMS
    if isinstance(error, KeyError):
        return _lacks_column(error, frame, given)
    return isinstance(error, TypeError) and bool(OF_FORM.search(str(error)))


def _lacks_column(error: KeyError, frame: FrameType, given: Mapping[str, Any]) -> bool:
    """Whether the line looks up a name among the arguments that the trainer has not passed."""
    for node in nodes(frame, frame.f_lineno):
        if isinstance(node, ast.Subscript) and resolved(node.slice, frame) == error.args[0]:
            held = resolved(node.value, frame)
            if isinstance(held, dict) and held and held.keys() <= given.keys():
                return True
    return False


def _given(file: str, line: int) -> frozenset[str]:
    """The rewards that the innermost handler around a line gives, if it takes any error."""
    tree = parsed(file)
    tries = [node for node in (ast.walk(tree) if tree else ()) if isinstance(node, ast.Try)
             and node.body[0].lineno <= line <= (node.body[-1].end_lineno or 0)]  # fmt: skip
    handlers = max(tries, key=lambda node: node.lineno).handlers[:1] if tries else []
    if not handlers or not _is_broad(handlers[0].type) or not _only_tells(handlers[0]):
        return frozenset()
    parts = [part for statement in handlers[0].body for part in ast.walk(statement)]
    passes = any(isinstance(part, (ast.Pass, ast.Continue)) for part in parts)
    values = [_number(part) for part in parts]
    return frozenset(value for value in values if value) | (NOTHING if passes else frozenset())


def _number(node: ast.AST) -> str:
    """A number of the code, or None, as a reward is told; "" for anything else."""
    try:
        value = ast.literal_eval(node) if isinstance(node, (ast.Constant, ast.UnaryOp)) else ""
    except ValueError:
        return ""
    if isinstance(value, (int, float)):
        return f"{float(value):g}"
    return "None" if value is None else ""


def _is_broad(kind: ast.expr | None) -> bool:
    return kind is None or getattr(kind, "id", "") in BROAD


def _only_tells(handler: ast.ExceptHandler) -> bool:
    parts = [part for statement in handler.body for part in ast.walk(statement)]
    called = {getattr(part.func, "attr", getattr(part.func, "id", ""))
              for part in parts if isinstance(part, ast.Call)}  # fmt: skip
    return called <= TELLS and not any(isinstance(part, ast.Raise) for part in parts)
