"""The contents of a table of settings."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from trl_doctor.core.finding import SEVERITIES, Severity

NOUNS = {
    str: "a text",
    int: "a number, zero or more",
    float: "a number, zero or more",
    bool: "true or false",
}
CHOICES = {
    "level": ("files", "tiny", "full"),
    "device": ("auto", "cpu", "cuda"),
    "executor": ("local", "ray"),
}
STATED = ("trainer", "processes", "dataset-format")
"""Keys that can be set for files by their names."""


class BadSettings(Exception):
    """The settings cannot be used; the message names the file and the setting."""


class TargetSettings(Struct, frozen=True):
    """The keys that are set for files whose paths below `folder` match a pattern."""

    folder: Path
    pattern: str
    stated: Mapping[str, str]

    def matches(self, path: Path) -> bool:
        """Whether a file matches the pattern."""
        try:
            below = path.absolute().relative_to(self.folder)
        except ValueError:
            return False
        return fnmatchcase(below.as_posix(), self.pattern)


class Ignore(Struct, frozen=True):
    """Findings of a rule that are known and not reported, in files that match a pattern."""

    folder: Path
    rule: str
    path: str
    reason: str


class Settings(Struct, frozen=True):
    """The defaults of the command line's options.

    In the file, names have hyphens: `fail-on = "warning"`. `ignores` are tables
    `[[tool.trl-doctor.ignore]]`, `targets` and `severity` are tables, too.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    require: tuple[str, ...] = ()
    fail_on: str = "error"
    python: str = ""
    stated: tuple[str, ...] = ()
    trainer: str = ""
    processes: int = 0
    offline: bool = False
    level: str = ""
    device: str = ""
    timeout: float = 0.0
    memory_limit: str = ""
    output: tuple[str, ...] = ()
    verbose: bool = False
    quiet: bool = False
    statistics: bool = False
    jobs: int = 0
    executor: str = ""
    every_node: bool = False
    allow_incomplete: bool = False
    baseline: str = ""
    documentation: str = ""
    gpu: str = ""
    gpu_memory: str = ""
    nodes: int = 0
    zero: int = 0
    fsdp: bool = False
    tensor_parallel: int = 0
    targets: tuple[TargetSettings, ...] = ()
    ignores: tuple[Ignore, ...] = ()
    severity: Mapping[str, Severity] = field(default_factory=dict)
    file: Path | None = None

    @property
    def changed_values(self) -> dict[str, Any]:
        """The values that differ from those without any file."""
        usual = Settings()
        values = {name: getattr(self, name) for name in self.__struct_fields__}
        return {name: value for name, value in values.items() if value != getattr(usual, name)}


NO_KEYS = ("targets", "ignores", "severity", "file")
"""Fields that are tables in the file, or not in it."""


def checked(file: Path, table: dict[str, Any]) -> Settings:
    """The settings in a table of a file. Raises `BadSettings`."""
    names = [name for name in Settings.__struct_fields__ if name not in NO_KEYS]
    keys = {"with" if name == "stated" else name.replace("_", "-"): name for name in names}
    usual, values = Settings(), dict[str, Any](file=file)
    for key, value in table.items():
        if key == "targets":
            values["targets"] = tuple(_targets(file, value))
        elif key == "severity":
            values["severity"] = _severity(file, value)
        elif key == "ignore" and _has_tables(value):
            values["ignores"] = tuple(_ignore(file, entry) for entry in value)
        elif name := keys.get(key):
            values[name] = _value(file, key, value, getattr(usual, name))
        else:
            raise _unknown(file, "setting", key, [*keys, "targets", "severity"])
    if python := values.get("python"):
        values["python"] = _resolved(file, python)
    return Settings(**values)


def _has_tables(value: Any) -> bool:
    return isinstance(value, list) and any(isinstance(entry, dict) for entry in value)


def _resolved(file: Path, python: str) -> str:
    """A path as the file means it, from its own folder; the name of a program as it is."""
    try:
        beside = file.parent / Path(python).expanduser()
        return str(beside) if os.sep in python or beside.exists() else python
    except (OSError, RuntimeError, ValueError) as error:
        raise BadSettings(f"{file}: python is {python!r}: {error}") from error


def _value(file: Path, key: str, value: Any, default: Any) -> Any:
    if isinstance(default, tuple):
        value = [value] if isinstance(value, str) else value
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise BadSettings(f"{file}: {key} must be a list of strings, not {value!r}")
        if key == "output" and not all(map(_below, value)):
            raise BadSettings(f"{file}: output writes below the working folder only: {value!r}")
        return tuple(value)
    if isinstance(default, float) and type(value) is int:
        value = float(value)
    if key == "documentation" and not str(value).startswith(("https://", "http://")):
        raise BadSettings(f"{file}: documentation begins with https:// or http://, not {value!r}")
    if key in CHOICES and value not in CHOICES[key]:
        raise BadSettings(f"{file}: {key} is one of {', '.join(CHOICES[key])}, not {value!r}")
    if type(value) is not type(default) or (isinstance(value, int | float) and value < 0):
        raise BadSettings(f"{file}: {key} is {NOUNS[type(default)]}, not {value!r}")
    return value


def _below(output: str) -> bool:
    """Whether a report goes to no file, or to one below the working folder."""
    path = Path(output.partition("=")[2])
    return not path.is_absolute() and ".." not in path.parts and not output.count("=~")


def _targets(file: Path, value_by_pattern: Any) -> Iterable[TargetSettings]:
    if not isinstance(value_by_pattern, dict):
        raise BadSettings(f"{file}: targets is a table by pattern, not {value_by_pattern!r}")
    for pattern, table in value_by_pattern.items():
        if not isinstance(table, dict):
            raise BadSettings(f"{file}: targets.{pattern!r} is a table, not {table!r}")
        for key, value in table.items():
            if key not in STATED:
                raise _unknown(file, f"setting in targets.{pattern!r}", key, STATED)
            expected = int if key == "processes" else str
            if type(value) is not expected:
                raise BadSettings(f"{file}: {key} is {NOUNS[expected]}, not {value!r}")
        names: dict[str, str] = {"processes": "num_processes", "dataset-format": "dataset_format"}
        stated = {str(names.get(key, key)): str(value) for key, value in table.items()}
        yield TargetSettings(file.parent, pattern, stated)


def _severity(file: Path, by_rule: Any) -> Mapping[str, Severity]:
    if not isinstance(by_rule, dict):
        raise BadSettings(f"{file}: severity is a table by rule, not {by_rule!r}")
    for rule, severity in by_rule.items():
        if severity not in SEVERITIES:
            raise BadSettings(f"{file}: {rule} is error, warning or note, not {severity!r}")
    return by_rule


def _ignore(file: Path, table: Any) -> Ignore:
    if not isinstance(table, dict) or not all(isinstance(text, str) for text in table.values()):
        raise BadSettings(f"{file}: ignore is a list of patterns or of tables, not both")
    for key in table:
        if key not in ("rule", "path", "reason"):
            raise _unknown(file, "key in ignore", key, ("rule", "path", "reason"))
    for key in ("rule", "reason"):
        if not table.get(key):
            raise BadSettings(f"{file}: an ignore needs its rule and its reason: {key} is missing")
    return Ignore(file.parent, table["rule"], table.get("path", "*"), table["reason"])


def _unknown(file: Path, kind: str, key: str, names: Iterable[str]) -> BadSettings:
    from trl_doctor.core.similar import similar

    near = similar(key, list(names), 1)
    hint = f"; did you mean {near[0]}?" if near else ""
    return BadSettings(f"{file}: there is no {kind} {key}{hint}")
