"""The command line of a script as keys and values."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from trl_doctor.files import document
from trl_doctor.files.source.state import State
from trl_doctor.files.source.values import Many, NamedValue, Plain, Table, Unknown, Value
from trl_doctor.files.unknown_word import OPEN, PLACEHOLDER

FILES = (".json", ".yaml", ".yml")
"""How the names of run files end."""


class Line(Struct):
    """A command line as keys and values; `rest` where a file that it names cannot be read.

    `whole` says that the script itself writes it: the user's own adds nothing. `parser` is the
    class that reads it, `shared` says that it also fills classes whose fields are not known.
    `needed` says that the script does not start without one, which was not given.
    """

    keywords: dict[Any, NamedValue]
    rest: Unknown | None = None
    whole: bool = False
    parser: str = ""
    shared: bool = False
    needed: bool = False

    def has_below(self, name: str) -> bool:
        """Whether it has an option for a part of the object of that name: `--name.key`."""
        return any(str(key).startswith(f"{name}.") for key in self.keywords)

    def below(self, name: str, flat: bool = False) -> Line:
        """The line for the object of a name: `name.key` is `key` there.

        With `flat` the keys without the name are its own, too.
        """
        start = f"{name}."
        below = {key.removeprefix(start): value for key, value in self.keywords.items()
                 if str(key).startswith(start)}  # fmt: skip
        return replace(self, keywords={**(self.keywords if flat else {}), **below})


def read_line(state: State, tokens: Iterable[str], node: ast.AST, *, files: bool = True) -> Line:
    """The options of a command line: `--name value`, `--name=value`, `--name`, `--no_name`.

    With `files` the file that it names has values, too: alone, or by `--config`.
    """
    line, at = Line({}), 0
    tokens = tuple(tokens)
    if files and len(tokens) == 1 and tokens[0].endswith(FILES):
        tokens = ("--config", tokens[0])
    while at < len(tokens):
        name, equals, value = tokens[at].partition("=")
        at += 1
        if not name.startswith("-"):
            state.more = name.removeprefix(OPEN) if name.startswith(OPEN) else state.more
            continue
        key = name.lstrip("-").replace("-", "_")
        texts: list[str] = [value] if equals else []
        while not equals and at < len(tokens) and not _is_option(tokens[at]):
            texts.append(tokens[at])
            at += 1
        if len(texts) > 1 and texts[-1].startswith(OPEN):
            state.more = texts.pop().removeprefix(OPEN)  # a variable with further options
        line.keywords[key] = NamedValue(value_of(texts, node, state), option=key)
    if files and "config" in line.keywords:
        _config(state, line, node)
    return line


def of_words(state: State, tokens: Iterable[str], node: ast.AST) -> Line:
    """The values of words like `model.lr=1`, which hydra, OmegaConf and chz read."""
    pairs = (token.lstrip("+~").partition("=") for token in tokens if not token.startswith("-"))
    return Line({key: NamedValue(value_of([text], node, state), option=key)
                 for key, equals, text in pairs if equals})  # fmt: skip


def of_file(state: State, name: Any, node: ast.AST) -> Line:
    """The values of a JSON or YAML file, those that it cannot read as the reason of the rest."""
    for root in state.homes():
        file = root / str(name)
        with suppress(document.Unreadable):
            value = document.read(file).mapping()
            return Line({k: NamedValue(from_json(item), file=file) for k, item in value.items()})
    return Line({}, Unknown(f"it may be in {str(name)!r}, which cannot be read", state.span(node)))


def _is_option(token: str) -> bool:
    bare = token.lstrip("-")
    return token.startswith("-") and not bare[:1].isdigit() and bare[:1] != "."


def value_of(texts: list[str], node: ast.AST, state: State) -> Value:
    """The value of an option with these words; true if there are none."""
    if not texts:
        return Plain(True)
    if why := next((word for word in texts if word.startswith(OPEN)), ""):
        return Unknown(why.removeprefix(OPEN), state.span(node))
    words: list[Value] = [Plain(word) for word in texts]
    return words[0] if len(words) == 1 else Many(words)


def _config(state: State, line: Line, node: ast.AST) -> None:
    """The values of the file that `--config` names, beneath those of the command line."""
    config = line.keywords["config"].value
    if isinstance(config, Unknown):
        line.rest = Unknown(f"it may be in the file that --config names: {config.why}", config.span)
        return
    if not isinstance(config, Plain) or not str(config.value).endswith(FILES):
        return
    if beneath := _contained(state, str(config.value)):
        line.keywords = {**beneath, **line.keywords}
        return
    beneath_line = of_file(state, config.value, node)
    line.keywords = {**beneath_line.keywords, **line.keywords}
    line.rest = beneath_line.rest


def _contained(state: State, name: str) -> dict[Any, NamedValue]:
    """The values of a file that the launch file itself contains, with their places in it."""
    if name not in state.texts:
        return {}
    try:
        value = document.parse(Path(name), state.texts[name].encode()).mapping()
    except document.Unreadable:
        return {}
    return {key: NamedValue(from_json(item), option=f"config/{key}") for key, item in value.items()}


def from_json(value: Any) -> Value:
    """A value of a JSON or YAML file."""
    if isinstance(value, str) and PLACEHOLDER in value:
        return Unknown("a variable gives it", None)
    if isinstance(value, list):
        return Many([from_json(item) for item in value])
    if isinstance(value, dict):
        return Table({key: NamedValue(from_json(item)) for key, item in value.items()})
    return Plain(value)


def typed(value: Value) -> Value:
    """A word of a command line as the parsers read it if no type is known."""
    if not isinstance(value, Plain) or not isinstance(value.value, str):
        return value
    word = value.value
    if word.lower() in ("true", "false"):
        return Plain(word.lower() == "true")
    for kind in (int, float):
        try:
            return Plain(kind(word))
        except ValueError:
            continue
    return value
