"""The model types of the installed transformers, and the types of their configs' fields."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

import msgspec
from packaging.version import Version

from trl_doctor.core.finding import Json
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.library.module import read
from trl_doctor.facts.library.releases import DATA
from trl_doctor.machine.environment import Environment

TABLES = ("models/auto/configuration_auto.py", "models/auto/auto_mappings.py")
PAIR = re.compile(r"""\(\s*"([\w.-]+)",\s*"(\w+)"\s*,?\)|"([\w.-]+)":\s*"(\w+)\"""")
PLAIN = {"int": int, "float": float, "str": str, "bool": bool, "dict": dict, "list": list,
         "None": type(None)}  # fmt: skip
"""The types that are checked by themselves; whole numbers are no floats, and truth no number."""


def knows(environment: Environment, model_type: str) -> bool:
    """Whether the target's transformers has a model type itself.

    Read from its sources, else from the table of the releases that were read. Raises
    `Unavailable` where neither tells.
    """
    stated = environment.version("transformers")
    if stated is None or stated == environment.installed_version("transformers"):
        return model_type in known(environment)
    spans, releases = _table()
    read_in = [Version(one) for one in releases]
    before = [at for at, one in enumerate(read_in) if one <= stated]
    after = [at for at, one in enumerate(read_in) if one >= stated]
    first, last = spans.get(model_type, (len(read_in), -1))
    there = {first <= at <= last for at in (*before[-1:], *after[:1])}
    if not before or not after or len(there) > 1:
        raise Unavailable(f"whether transformers {stated} has {model_type} is not known")
    return there.pop()


@lru_cache(maxsize=8)
def known(environment: Environment) -> Mapping[str, str]:
    """The config class of each model type. Raises `Unavailable` where no sources are here."""
    folder = environment.source("transformers")
    if folder is None or not (folder / TABLES[0]).is_file():
        raise Unavailable("the sources of transformers are not here: say --python")
    return classes(folder)


def classes(folder: Path) -> dict[str, str]:
    """The config class of each model type that the sources of transformers in a folder name."""
    return {kind: name for kind, name in _pairs(folder) if name.endswith("Config")}


@lru_cache(maxsize=64)
def checked(environment: Environment, model_type: str) -> Mapping[str, ast.expr]:
    """The fields of a type's config that transformers checks, with their types.

    None in releases that check no types.
    """
    folder = environment.source("transformers")
    if folder is None or model_type not in known(environment):
        return {}
    homes = {kind: name for kind, name in _pairs(folder) if not name.endswith("Config")}
    module = homes.get(model_type, model_type).replace("-", "_")
    file = folder / f"models/{module}/configuration_{module}.py"
    if not file.is_file():
        return {}
    wanted = known(environment)[model_type]
    for node in ast.parse(read(file)).body:
        if isinstance(node, ast.ClassDef) and node.name == wanted and _strict(node):
            return {
                one.target.id: one.annotation
                for one in node.body
                if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)
            }
    return {}


def fits(value: Json, kind: ast.expr) -> bool:
    """Whether a value is of a type; true where that cannot be told."""
    if isinstance(kind, ast.BinOp) and isinstance(kind.op, ast.BitOr):
        return fits(value, kind.left) or fits(value, kind.right)
    if isinstance(kind, ast.Constant) and kind.value is None:
        return value is None
    if isinstance(kind, ast.Subscript) and ast.unparse(kind.value) == "list":
        return isinstance(value, list) and all(fits(one, kind.slice) for one in value)
    if isinstance(kind, ast.Subscript) and ast.unparse(kind.value) == "dict":
        return isinstance(value, dict)
    wanted = PLAIN.get(ast.unparse(kind))
    return wanted is None or type(value) is wanted


def _strict(node: ast.ClassDef) -> bool:
    """Whether the class checks what it is given."""
    return any("strict" in ast.unparse(one) for one in node.decorator_list)


@lru_cache(maxsize=8)
def _pairs(folder: Path) -> tuple[tuple[str, str], ...]:
    files = [folder / name for name in TABLES]
    texts = [read(file) for file in files if file.is_file()]
    found = [pair for text in texts for pair in PAIR.findall(text)]
    return tuple((first or third, second or fourth) for first, second, third, fourth in found)


@lru_cache(maxsize=1)
def _table() -> tuple[dict[str, tuple[int, int]], list[str]]:
    """The first and the last of the releases that were read with each type, and those releases."""
    said = msgspec.json.decode((DATA / "model_types.json").read_bytes())
    return {name: (one[0], one[1]) for name, one in said["types"].items()}, said["releases"]
