"""What TRL's command line takes from a run file, read from its sources."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Literal, TypeAlias

from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.library.classes import Damaged, Definition, Module, Sources

Unknown: TypeAlias = Literal["launched", "refused", "ignored", "never read"]
"""What becomes of a key that no class of a command has.

`launched`: it is handed to `accelerate launch`, which refuses what it does not know (up to
trl 0.29 a key that another command has is dropped without a word). `refused`: a ValueError.
`ignored`: it is dropped without a word. `never read`: `trl grpo --config` refuses to start;
only `python -m trl.scripts.grpo --config` reads the file, and drops the key without a word.
"""


@dataclass(frozen=True)
class Command:
    """A command of TRL: the classes that its parser is made of, and its way with other keys."""

    classes: tuple[Definition, ...]
    unknown: Unknown


def command(sources: Sources, name: str) -> Command | None:
    """The command `trl NAME`, or None where this TRL has none. Raises `Damaged`."""
    script = sources.module(f"trl.scripts.{name}")
    if script is None:
        return None
    classes = tuple(_class(sources, script, one) for one in _parsed(script))
    if not classes:
        raise Damaged(f"{script.path} does not say which classes it parses")
    return Command(classes, _unknown(sources, script, name))


def _class(sources: Sources, script: Module, name: str) -> Definition:
    place = script.imports.get(name, ("trl", name))
    found = sources.definition(*((script.name, name) if name in script.classes else place))
    if found is None:
        raise Damaged(f"{script.path} parses {name}, which is not there")
    return found


def _parsed(script: Module) -> list[str]:
    """The names in `dataclass_types = (…)` of the script's `make_parser`."""
    for node in ast.walk(script.tree):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Tuple):
            target = node.targets[0]
            if isinstance(target, ast.Name) and target.id == "dataclass_types":
                return [one.id for one in node.value.elts if isinstance(one, ast.Name)]
    return []


def _unknown(sources: Sources, script: Module, name: str) -> Unknown:
    if sources.module("trl.cli.commands.training"):
        return "launched"
    line = sources.module("trl.cli")
    if line and "launch_args" not in line.text:
        return "never read"
    if line and f"launch_args + [str({name}_training_script)]" in line.text:
        return "launched"
    dropped = "return_remaining_strings=True", "fail_with_unknown_args=False"
    if any(phrase in script.text for phrase in dropped):
        return "ignored"
    parser = sources.module("trl.scripts.utils")
    return "refused" if parser and "fail_with_unknown_args" in parser.text else "ignored"


def launch_options(sources: Sources) -> dict[str, bool]:
    """The options of `accelerate launch` by name, and whether each takes a value.

    An option without a value cannot stand in a run file: TRL writes `--cpu True`, and
    accelerate takes `True` for the script. Raises `Damaged`, and `Unavailable` where the
    sources have no accelerate.
    """
    module = sources.module("accelerate.commands.launch")
    if module is None:
        raise Unavailable("accelerate's launcher is not there")
    options: dict[str, bool] = {}
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "add_argument":
            flag = any(_switches(one) for one in node.keywords)
            for argument in node.args:
                said = argument.value if isinstance(argument, ast.Constant) else None
                if isinstance(said, str) and said.startswith("--"):
                    options[said[2:].replace("-", "_")] = not flag
    options.pop("help", None)
    return options


def _switches(argument: ast.keyword) -> bool:
    said = argument.value.value if isinstance(argument.value, ast.Constant) else None
    return argument.arg == "action" and said in ("store_true", "store_false")
