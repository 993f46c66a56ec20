"""Functions that a library calls with the options of a command line: click, typer and hydra."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from trl_doctor.files import document
from trl_doctor.files.source import interpolation
from trl_doctor.files.source.command_line import hydra_files
from trl_doctor.files.source.command_line.keys import from_json
from trl_doctor.files.source.objects import Function
from trl_doctor.files.source.state import State
from trl_doctor.files.source.values import (
    LibraryObject,
    Outside,
    Plain,
    Unknown,
    Value,
)

COMMANDS = (
    "click.command",
    "click.group",
    ".command",
    ".callback",
    "pyrallis.wrap",
    "draccus.wrap",
)
"""How the names of decorators end that make a command of a function."""
HYDRA = "hydra.main"
OPTIONS = ("click.option", "click.argument", "typer.Option", "typer.Argument")


def is_command(function: Function) -> bool:
    """Whether a call of the function without arguments reads the command line."""
    made = (value for value in function.decorated if isinstance(value, LibraryObject | Outside))
    names = (value.of if isinstance(value, LibraryObject) else value.name for value in made)
    return any(name.endswith((*COMMANDS, HYDRA)) for name in names)


def stated(
    state: State, function: Function, defaults: Mapping[str, Value], node: ast.AST
) -> dict[str, Value]:
    """The values of the parameters if the command line gives none, by decorators and defaults."""
    calls = [value for value in function.decorated if isinstance(value, LibraryObject)]
    values = dict(
        _option(state, call, node) for call in calls if call.of.endswith(OPTIONS) and call.arguments
    )
    for name, value in defaults.items():
        if isinstance(value, LibraryObject) and value.of.endswith(OPTIONS):
            values[name] = _default(state, value, f"--{name}", 0, node)
    hydra = next((call for call in calls if call.of.endswith(HYDRA)), None)
    parameters = function.node.args.args
    if hydra is not None and parameters:
        folder, file = hydra.argument("config_path", 0), hydra.argument("config_name", 1)
        values[parameters[0].arg] = composed(state, folder, file, state.argv or (), node)
    return values


def _option(state: State, call: LibraryObject, node: ast.AST) -> tuple[str, Value]:
    """The parameter that `click.option` or `click.argument` fills, and what it holds."""
    words = [str(item.value) for item in call.arguments if isinstance(item, Plain)]
    plain = [word for word in words if not word.startswith("-")]
    flag = max((word.partition("/")[0] for word in words), key=len, default="")
    name = (plain[0] if plain else flag.lstrip("-")).replace("-", "_").lower()
    return name, _default(state, call, flag, None, node)


def _default(
    state: State, call: LibraryObject, flag: str, index: int | None, node: ast.AST
) -> Value:
    default = call.keywords["default"].value if "default" in call.keywords else None
    if default is None and index is not None and call.arguments:
        default = call.arguments[index]
    required = "required" in call.keywords or call.short in ("argument", "Argument")
    ellipsis = isinstance(default, Unknown) and default.why.endswith("`...`")
    if ellipsis or (default is None and required):
        why = f"it comes from the command line ({flag}): give it after --"
        return Unknown(why, state.span(node))
    if default is not None:
        return default
    return Plain(False if "is_flag" in call.keywords else None)


def composed(
    state: State, folder: Value | None, name: Value | None, words: Sequence[str], node: ast.AST
) -> Value:
    """The configuration that hydra composes of its files and of words like `train.lr=1`."""
    own = hydra_files.named(words)
    file = own.get("name") or (name.value if isinstance(name, Plain) else None)
    if not isinstance(folder, Plain) or not file:
        return state.unknown(node, "the configuration of hydra is not known")
    root = state.folder / own.get("path", str(folder.value or "."))
    try:
        whole = hydra_files.composed(root, str(file), words)
    except (document.Unreadable, ValueError) as reason:
        return state.unknown(node, f"the configuration of hydra cannot be read: {reason}")
    return interpolation.resolved(state, from_json(whole), node)
