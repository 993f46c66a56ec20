"""The model types of the installed transformers, and the types of their configs' fields."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path

import msgspec
from packaging.version import Version

from trl_doctor.core.finding import Json
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.library.module import read_source
from trl_doctor.facts.library.releases import DATA
from trl_doctor.machine.environment import Environment

TABLES = ("models/auto/configuration_auto.py", "models/auto/auto_mappings.py")
PAIR = r"""\(\s*"([\w.-]+)",\s*"(\w+)"\s*,?\)|"([\w.-]+)":\s*"(\w+)\""""
PLAIN = {"int": int, "float": float, "str": str, "bool": bool, "dict": dict, "list": list,
         "None": type(None)}  # fmt: skip
"""The types that are compared exactly: an int is not accepted as a float, a bool not as an int."""


def has_model_type(environment: Environment, model_type: str) -> bool:
    """Whether the target's transformers implements a model type itself.

    Read from its sources, else from the table of releases in our data. Raises `Unavailable` if
    neither decides.
    """
    version = environment.version("transformers")
    if version is None or version == environment.installed_version("transformers"):
        return model_type in config_classes(environment)
    spans, releases = _table()
    recorded = [Version(release) for release in releases]
    older = [at for at, release in enumerate(recorded) if release <= version]
    newer = [at for at, release in enumerate(recorded) if release >= version]
    first, last = spans.get(model_type, (len(recorded), -1))
    present = {first <= at <= last for at in (*older[-1:], *newer[:1])}
    if not older or not newer or len(present) > 1:
        raise Unavailable(f"whether transformers {version} has {model_type} is not known")
    return present.pop()


@lru_cache(maxsize=8)
def config_classes(environment: Environment) -> Mapping[str, str]:
    """The config class of each model type. Raises `Unavailable` without installed sources."""
    folder = environment.source("transformers")
    if folder is None or not (folder / TABLES[0]).is_file():
        raise Unavailable("the sources of transformers are not here: use --python")
    return config_classes_in(folder)


def config_classes_in(folder: Path) -> dict[str, str]:
    """The config class of each model type in the sources of transformers in a folder."""
    return {kind: name for kind, name in _pairs(folder) if name.endswith("Config")}


Fields = Mapping[str, ast.expr]
"""The types of a config's fields, by name."""


@lru_cache(maxsize=64)
def checked_fields(environment: Environment, model_type: str) -> Fields:
    """The fields of a type's config that transformers checks, with their types.

    Empty in releases that check no types.
    """
    classes = _classes(environment, model_type)
    return _fields(classes.get(config_classes(environment)[model_type])) if classes else {}


def checked_fields_inside(
    environment: Environment, model_type: str, config: Mapping[str, Json]
) -> Iterator[tuple[str, Mapping[str, Json], Fields]]:
    """The parts of a config that are configs themselves (`text_config`), with what each says and
    the fields of it that transformers checks."""
    classes = _classes(environment, model_type)
    whole = classes.get(config_classes(environment)[model_type]) if classes else None
    for part, kind, usual in _parts(whole):
        inner = config.get(part)
        if not isinstance(inner, dict):
            continue
        own = inner.get("model_type", usual)
        if kind in classes:
            yield part, inner, _fields(classes[kind])
        elif isinstance(own, str) and own in config_classes(environment):
            yield part, inner, checked_fields(environment, own)


def _parts(whole: ast.ClassDef | None) -> Iterator[tuple[str, str, str | None]]:
    """The parts of a config, the class of each, and the model type if none is given."""
    for node in whole.body if whole else ():
        if isinstance(node, ast.Assign) and "sub_configs_defaults" in ast.unparse(node.targets[0]):
            value = node.value
            pairs = (
                zip(value.keys, value.values, strict=True) if isinstance(value, ast.Dict) else ()
            )
            for key, kind in pairs:
                keywords = kind.keywords if isinstance(kind, ast.Call) else []
                values = {keyword.arg: keyword.value for keyword in keywords}
                usual = values.get("model_type")
                yield (
                    str(getattr(key, "value", "")),
                    ast.unparse(values.get("config_class", kind)),
                    usual.value if isinstance(usual, ast.Constant) else None,  # type: ignore[misc]
                )


@lru_cache(maxsize=16)
def _classes(environment: Environment, model_type: str) -> Mapping[str, ast.ClassDef]:
    """The classes in the module of a type's config, by name."""
    folder = environment.source("transformers")
    if folder is None or model_type not in config_classes(environment):
        return {}
    # beside config classes and modules, the same tables name processors
    homes = {kind: name for kind, name in _pairs(folder) if name == name.lower()}
    module = homes.get(model_type, model_type).replace("-", "_")
    file = folder / f"models/{module}/configuration_{module}.py"
    if not file.is_file():
        return {}
    body = ast.parse(read_source(file)).body
    return {node.name: node for node in body if isinstance(node, ast.ClassDef)}


def _fields(node: ast.ClassDef | None) -> Fields:
    """The fields that a class declares, where it checks what it is given."""
    if node is None or not _strict(node):
        return {}
    return {
        statement.target.id: statement.annotation
        for statement in node.body
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name)
    }


def fits(value: Json, kind: ast.expr) -> bool:
    """Whether a value has a type; true if this cannot be decided."""
    if isinstance(kind, ast.BinOp) and isinstance(kind.op, ast.BitOr):
        return fits(value, kind.left) or fits(value, kind.right)
    if isinstance(kind, ast.Constant) and kind.value is None:
        return value is None
    if isinstance(kind, ast.Subscript) and ast.unparse(kind.value) == "list":
        return isinstance(value, list) and all(fits(item, kind.slice) for item in value)
    if isinstance(kind, ast.Subscript) and ast.unparse(kind.value) == "dict":
        return isinstance(value, dict)
    plain_type = PLAIN.get(ast.unparse(kind))
    return plain_type is None or type(value) is plain_type


def _strict(node: ast.ClassDef) -> bool:
    """Whether the class checks the types of its arguments."""
    return any("strict" in ast.unparse(decorator) for decorator in node.decorator_list)


@lru_cache(maxsize=8)
def _pairs(folder: Path) -> tuple[tuple[str, str], ...]:
    files = [folder / name for name in TABLES]
    texts = [read_source(file) for file in files if file.is_file()]
    pairs = [pair for text in texts for pair in re.findall(PAIR, text)]
    return tuple((first or third, second or fourth) for first, second, third, fourth in pairs)


@lru_cache(maxsize=1)
def _table() -> tuple[dict[str, tuple[int, int]], list[str]]:
    """The first and the last recorded release with each model type, and the recorded releases."""
    table = msgspec.json.decode((DATA / "model_types.json").read_bytes())
    return {name: (span[0], span[1]) for name, span in table["types"].items()}, table["releases"]
