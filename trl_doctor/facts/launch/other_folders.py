"""Where a script looks for its checkpoint in another folder than it writes to."""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec import Struct

from trl_doctor.core.finding import Place
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.launch.launch_line import own_text
from trl_doctor.facts.script.syntax.code import code
from trl_doctor.facts.script.syntax.new_folders import name_of, resumed_calls

Values = Mapping[str, list[ast.expr]]

ASKS = ("isdir", "exists", "is_dir", "get_last_checkpoint", "Path")
"""Calls that ask for a folder and write nothing to it."""

OF_TRL = re.compile(r"(?:SFT|DPO|GRPO|RLOO|KTO|Reward|PPO)Config$")
"""The classes whose first argument is the folder of the output."""

BEHIND = ("-", "_", ".", "/")
"""What follows the name of a folder in the name of one that is made from it."""


class Other(Struct, frozen=True):
    """The call that looks for a checkpoint, its folder, and the one that the run writes to."""

    place: Place
    looked: str
    written: str


def looked_for_elsewhere(facts: Facts) -> list[Other]:
    """The calls whose result is resumed from, if there is one, and whose folder is a near miss.

    A folder that the script asks for first is the run's own one: another run's is there for
    certain. It is a near miss if its last part is that of the output, or the output begins with it.
    """
    parsed = facts[code]
    values = _values(parsed.whole)
    written = _written(facts, parsed.whole, values)
    found = []
    for call in resumed_calls(parsed.whole, values) if written else ():
        looked = _text(call.args[0], values) if call.args else ""
        if not looked or not _asked(parsed.whole, values, looked) or _used(parsed.whole, looked):
            continue
        if _near(looked, written) and not _brought(facts, looked):
            found.append(Other(parsed.place(call), looked, written))
    return found


def _values(parsed: ast.Module) -> dict[str, list[ast.expr]]:
    values: dict[str, list[ast.expr]] = {}
    for node in ast.walk(parsed):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                values.setdefault(ast.unparse(target), []).append(node.value)
    return values


def _text(value: ast.expr, values: Values, *, begin: bool = False) -> str:
    """The text that an expression is; "" if it is not known. `begin` is content with its start."""
    for _ in range(5):
        given = values.get(ast.unparse(value), [])
        if len(given) != 1:
            break
        value = given[0]
    if isinstance(value, ast.JoinedStr) and begin and value.values:
        value = value.values[0] if isinstance(value.values[0], ast.Constant) else value
    text = value.value if isinstance(value, ast.Constant) else None
    return text if isinstance(text, str) else ""


def _written(facts: Facts, parsed: ast.Module, values: Values) -> str:
    """The folder that the run writes to, or how its name begins; "" if it is not known."""
    try:
        output = facts.run.arguments.get("output_dir")
    except Unavailable:
        output = None
    if isinstance(output, str) and output:
        return output
    words = [node for node in ast.walk(parsed) if isinstance(node, ast.keyword)]
    given = [word.value for word in words if word.arg == "output_dir"]
    given += [call.args[0] for call in _calls(parsed) if OF_TRL.search(name_of(call.func))
              and call.args]  # fmt: skip
    begin = _text(given[0], values, begin=True) if len(given) == 1 else ""
    return f"{begin}…" if begin else ""


def _near(looked: str, written: str) -> bool:
    one, other = posixpath.normpath(looked), posixpath.normpath(written)
    if one == other or other == f"{one}…":
        return False
    made_from = other.startswith(one) and other[len(one) :].startswith(BEHIND)
    return made_from or ("…" not in other and posixpath.basename(one) == posixpath.basename(other))


def _calls(parsed: ast.Module) -> Iterator[ast.Call]:
    return (node for node in ast.walk(parsed) if isinstance(node, ast.Call))


def _asked(parsed: ast.Module, values: Values, looked: str) -> bool:
    """Whether the script asks if the folder is there."""
    return any(
        name_of(call.func).rpartition(".")[2] in ASKS[:2]
        and call.args
        and _text(call.args[0], values) == looked
        for call in _calls(parsed)
    )


def _used(parsed: ast.Module, looked: str) -> bool:
    """Whether another call has the folder, which may put checkpoints there."""
    for call in _calls(parsed):
        given = [*call.args, *(word.value for word in call.keywords)]
        names = [node.value for value in given for node in ast.walk(value)
                 if isinstance(node, ast.Constant)]  # fmt: skip
        inner = any(isinstance(node, ast.Call) for value in given for node in ast.walk(value))
        if looked in names and not inner and name_of(call.func).rpartition(".")[2] not in ASKS:
            return True
    return False


def _brought(facts: Facts, looked: str) -> bool:
    """Whether the folder is here, or the launch file names it."""
    target = facts.run.target
    text = own_text(target) or ""
    here = [folder / looked for folder in (Path.cwd(), *target.folders)]
    return looked in text or any(folder.exists() for folder in here)
