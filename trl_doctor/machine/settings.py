"""Settings that stay: the project's (trl-doctor.toml or pyproject.toml) over the user's own."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from trl_doctor.machine.trust import HOW, is_trusted

FILES = ("trl-doctor.toml", "pyproject.toml")
NOUNS = {str: "a text", int: "a number, zero or more", bool: "true or false"}


class BadSettings(Exception):
    """The settings cannot be used; the message names the file and the setting."""


@dataclass(frozen=True)
class Settings:
    """What the command line's options are where they are not given.

    In the file, names have hyphens: `fail-on = "warning"`.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    require: tuple[str, ...] = ()
    fail_on: str = "error"
    python: str = ""
    stated: tuple[str, ...] = field(default=(), metadata={"key": "with"})
    trainer: str = ""
    processes: int = 0
    offline: bool = False
    file: Path | None = field(default=None, metadata={"key": None})

    @property
    def said(self) -> dict[str, Any]:
        """What is not as it would be without any file."""
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        return {name: value for name, value in values.items() if value != getattr(Settings(), name)}


def settings(start: Path, *, python_given: bool = False) -> Settings:
    """The settings of the first file found from `start` upwards, over those of the user.

    Where the project names an interpreter it must be trusted, unless one is given anyway. Raises
    `BadSettings`.
    """
    own = _user_file()
    project = of_project(start)
    if project.file == own:
        return project
    if project.python and not python_given and not is_trusted(project.file, project.python):
        raise BadSettings(
            f"{project.file}: python names a program to start, {project.python}, "
            f"and this file is not trusted: {HOW}"
        )
    table = (_table(own) or {}) if os.path.isfile(own) else {}  # noqa: PTH113
    return replace(_checked(own, table), **project.said) if table else project


def of_project(start: Path) -> Settings:
    """The settings of the first file found from `start` upwards, trusted or not."""
    for folder in (start, *start.parents):
        for name in FILES:
            file = folder / name
            if os.path.isfile(file) and (table := _table(file)) is not None:  # noqa: PTH113
                return _checked(file, table)
    return Settings()


def _user_file() -> Path:
    """`trl-doctor/trl-doctor.toml` in `$XDG_CONFIG_HOME`, else in `~/.config`."""
    given = Path(os.environ.get("XDG_CONFIG_HOME", ""))
    try:
        folder = given if given.is_absolute() else Path("~/.config").expanduser()
    except RuntimeError:  # the home folder of nobody
        folder = Path("/nonexistent")
    return folder / "trl-doctor" / FILES[0]


def _table(file: Path) -> dict[str, Any] | None:
    try:
        text = file.read_bytes()
        if file.name == "pyproject.toml" and b"trl-doctor" not in text:
            return None  # somebody else's file says nothing to us, broken or not
        import tomllib

        data: Any = tomllib.loads(text.decode())
    except (OSError, ValueError, RecursionError) as error:  # TOML's error is a ValueError
        raise BadSettings(f"{file}: {error}") from error
    if file.name == "pyproject.toml":
        tools = data.get("tool")
        data = tools.get("trl-doctor") if isinstance(tools, dict) else None
    if data is not None and not isinstance(data, dict):
        raise BadSettings(f"{file}: tool.trl-doctor is no table")
    return data


def _checked(file: Path, table: dict[str, Any]) -> Settings:
    keys = {one.metadata.get("key", one.name.replace("_", "-")): one for one in fields(Settings)}
    values: dict[str, Any] = {"file": file}
    for key, value in table.items():
        one = keys.get(key)
        if one is None:
            from difflib import get_close_matches

            near = get_close_matches(key, [name for name in keys if name], 1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise BadSettings(f"{file}: there is no setting {key}{hint}")
        default = one.default
        if isinstance(default, tuple):
            value = [value] if isinstance(value, str) else value
            if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
                raise BadSettings(f"{file}: {key} is a list of texts, not {value!r}")
            value = tuple(value)
        elif type(value) is not type(default) or (isinstance(value, int) and value < 0):
            raise BadSettings(f"{file}: {key} is {NOUNS[type(default)]}, not {value!r}")
        values[one.name] = value
    if python := values.get("python"):
        values["python"] = _where_it_stands(file, python)
    return Settings(**values)


def _where_it_stands(file: Path, python: str) -> str:
    """A path as the file means it, from its own folder; the name of a program as it is."""
    try:
        beside = file.parent / Path(python).expanduser()
        return str(beside) if os.sep in python or beside.exists() else python
    except (OSError, RuntimeError, ValueError) as error:
        raise BadSettings(f"{file}: python is {python!r}: {error}") from error
