"""How this release of TRL calls reward functions and finds them by name: read from its source."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import inspect
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ..refusal import Refused

CALL = re.compile(r"(?<![\w.])reward_func\(")
PUT = re.compile(r"(?<![\w.])reward_kwargs\[['\"](\w+)['\"]\] = ")
LONGEST_CALL = 2000
"""How TRL calls one and gives it more: a call ends in so many characters."""


class Release(NamedTuple):
    """The arguments that are passed besides the rows' columns, and what becomes of the rewards.

    `counts`: another number of rewards than of completions is refused. `none_is_nan`: None
    leaves a completion out. `replaces_nan`: advantages that are no numbers become 0. `awaits`:
    functions may be async.
    """

    passes: tuple[str, ...]
    counts: bool
    none_is_nan: bool
    replaces_nan: bool
    awaits: bool


class Broken:
    """A function of TRL's own that cannot be imported here."""

    def __init__(self, error: BaseException) -> None:
        self.error = error


def release(trainer: type) -> Release:
    """How a trainer calls them. Raises `Refused` if it has no reward functions."""
    module = inspect.getmodule(trainer)
    source = inspect.getsource(module) if module else ""
    passes = sorted({*_called(source)})
    if "completions" not in passes:
        raise Refused(f"{trainer.__name__} of this trl has no reward functions")
    return Release(
        tuple(passes),
        counts="were expected (one per prompt-completion pair)" in source,
        none_is_nan="reward if reward is not None else torch.nan" in source,
        replaces_nan="torch.nan_to_num(advantages" in source,
        awaits="asyncio.gather" in source,
    )


def _called(source: str) -> Iterator[str]:
    """The keywords of `reward_func(…)` and the keys put into `reward_kwargs`.

    To parse the whole file would take as long as to try a function.
    """
    for found in CALL.finditer(source):
        call = _call(source[found.start() : found.start() + LONGEST_CALL])
        yield from (keyword.arg for keyword in call.keywords if keyword.arg) if call else ()
    yield from PUT.findall(source)


def _call(text: str) -> ast.Call | None:
    """The call that a text begins with."""
    for end in re.finditer(r"\)", text):
        try:
            tree = ast.parse(text[: end.end()], mode="eval").body
        except SyntaxError:
            continue
        return tree if isinstance(tree, ast.Call) else None
    return None


def registry(trainer: str) -> dict[str, Any] | None:
    """What TRL's script calls by a short name; None if the script takes no names at all."""
    for node in _script(trainer):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict):
            name = getattr(node.targets[0], "id", "")
            if name == "reward_funcs_registry":
                return dict(_entries(node.value))
    return None


def passed_variable(trainer: str) -> str | None:
    """The variable that TRL's script gives its trainer as `reward_funcs`; None if it collects
    no functions, or writes something else.
    """
    if registry(trainer) is None:
        return None
    for node in _script(trainer):
        if isinstance(node, ast.keyword) and node.arg == "reward_funcs":
            return getattr(node.value, "id", None)
    return None


def _script(trainer: str) -> Iterator[ast.AST]:
    """The syntax of TRL's script for a trainer; nothing if it has none."""
    spec = importlib.util.find_spec(f"trl.scripts.{trainer}")
    if spec is not None and spec.origin:
        yield from ast.walk(ast.parse(Path(spec.origin).read_text("utf-8")))


def _entries(dictionary: ast.Dict) -> Iterator[tuple[str, Any]]:
    """The entries of TRL's own dictionary, evaluated among the names of `trl.rewards`."""
    names: Mapping[str, Any] = _Names()
    for key, value in zip(dictionary.keys, dictionary.values):
        code = compile(ast.Expression(value), "trl.scripts", "eval")
        yield str(getattr(key, "value", "")), eval(code, {}, names)


class _Names(dict):  # type: ignore[type-arg]
    """The names of `trl.rewards`, which loads them when they are asked for."""

    def __missing__(self, name: str) -> Any:
        try:
            return getattr(importlib.import_module("trl.rewards"), name)
        except AttributeError:
            raise KeyError(name) from None
        except (ImportError, RuntimeError) as error:  # the others are called all the same
            return Broken(error.__cause__ or error)
