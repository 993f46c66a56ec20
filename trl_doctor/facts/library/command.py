"""The keys that TRL's command line accepts in a run file, read from its sources."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import lru_cache
from typing import Literal, TypeAlias

from msgspec import Struct

from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.library.classes import Damaged, Definition, Module, Sources

Unknown: TypeAlias = Literal["launched", "refused", "ignored", "never read"]
"""What happens to a key that no class of a command has.

`launched`: it is passed to `accelerate launch`, which refuses unknown options (up to
trl 0.29 a key that another command has is dropped silently). `refused`: a ValueError.
`ignored`: it is dropped silently. `never read`: `trl grpo --config` refuses to start;
only `python -m trl.scripts.grpo --config` reads the file, and drops the key silently.
"""


class Command(Struct, frozen=True):
    """A command of TRL: the classes that its parser parses, and what it does with other keys."""

    classes: tuple[Definition, ...]
    unknown: Unknown


def command(sources: Sources, name: str) -> Command | None:
    """The command `trl NAME`, None if this TRL has none. Raises `Damaged`."""
    script = sources.module(f"trl.scripts.{name}")
    if script is None:
        return None
    classes = tuple(_class(sources, script, class_name) for class_name in _parsed(script))
    if not classes:
        raise Damaged(f"{script.path} does not say which classes it parses")
    return Command(classes, _unknown(sources, script, name))


def _class(sources: Sources, script: Module, name: str) -> Definition:
    place = script.imports.get(name, ("trl", name))
    definition = sources.definition(*((script.name, name) if name in script.classes else place))
    if definition is None:
        raise Damaged(f"{script.path} parses {name}, which is not there")
    return definition


def _parsed(script: Module) -> list[str]:
    """The names in the assignment `dataclass_types = (…)` of the script's `make_parser`."""
    for node in ast.walk(script.tree):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Tuple):
            target = node.targets[0]
            if isinstance(target, ast.Name) and target.id == "dataclass_types":
                return [element.id for element in node.value.elts if isinstance(element, ast.Name)]
    return []


def _unknown(sources: Sources, script: Module, name: str) -> Unknown:
    if sources.module("trl.cli.commands.training"):
        return "launched"
    command_line = sources.module("trl.cli")
    if command_line and "launch_args" not in command_line.text:
        return "never read"
    if command_line and f"launch_args + [str({name}_training_script)]" in command_line.text:
        return "launched"
    dropped = "return_remaining_strings=True", "fail_with_unknown_args=False"
    if any(phrase in script.text for phrase in dropped):
        return "ignored"
    parser = sources.module("trl.scripts.utils")
    return "refused" if parser and "fail_with_unknown_args" in parser.text else "ignored"


@lru_cache(maxsize=32)
def launch_options(sources: Sources) -> Mapping[str, bool]:
    """The options of `accelerate launch` by name, and whether each takes a value.

    An option without a value cannot be used in a run file: TRL writes `--cpu True`, and
    accelerate interprets `True` as the script. Raises `Damaged`, and `Unavailable` if the
    sources have no accelerate.
    """
    module = sources.module("accelerate.commands.launch")
    if module is None:
        raise Unavailable("accelerate's launcher is not there")
    options: dict[str, bool] = {}
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "add_argument":
            flag = any(_switches(keyword) for keyword in node.keywords)
            for argument in node.args:
                name = argument.value if isinstance(argument, ast.Constant) else None
                if isinstance(name, str) and name.startswith("--"):
                    options[name[2:].replace("-", "_")] = not flag
    options.pop("help", None)
    return options


def _switches(argument: ast.keyword) -> bool:
    action = argument.value.value if isinstance(argument.value, ast.Constant) else None
    return argument.arg == "action" and action in ("store_true", "store_false")
