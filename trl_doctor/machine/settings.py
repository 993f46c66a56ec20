"""Settings that stay: the project's (trl-doctor.toml or pyproject.toml) over the user's own."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from trl_doctor.core.own_folders import NoHome, own_folder
from trl_doctor.files.regular import bytes_of
from trl_doctor.machine.settings_table import BadSettings, Settings, checked

__all__ = ["BadSettings", "Settings", "of_project", "settings"]

FILES = ("trl-doctor.toml", "pyproject.toml")


def settings(start: Path, *, python_given: bool = False) -> Settings:
    """The settings of the first file found from `start` upwards, over those of the user.

    An interpreter that the project names must be trusted, unless another is given anyway. Raises
    `BadSettings`.
    """
    user_file = _user_file()
    project = of_project(start)
    if project.file == user_file:
        return project
    if project.python and not python_given:
        _refuse_untrusted(project)
    table = (_table(user_file) or {}) if os.path.isfile(user_file) else {}  # noqa: PTH113
    return replace(checked(user_file, table), **project.changed_values) if table else project


def _refuse_untrusted(project: Settings) -> None:
    from trl_doctor.machine.trust import HOW, is_trusted

    if not is_trusted(project.file, project.python):
        raise BadSettings(
            f"{project.file}: python names a program to start, {project.python}, "
            f"and this file is not trusted: {HOW}"
        )


def of_project(start: Path) -> Settings:
    """The settings of the first file found from `start` upwards, trusted or not."""
    for folder in (start, *start.parents):
        for name in FILES:
            file = folder / name
            if os.path.isfile(file) and (table := _table(file)) is not None:  # noqa: PTH113
                return checked(file, table)
    return Settings()


def _user_file() -> Path:
    """`trl-doctor/trl-doctor.toml` in `$XDG_CONFIG_HOME`, else in `~/.config`."""
    try:
        folder = own_folder("config")
    except NoHome:
        folder = Path("/nonexistent")
    return folder / FILES[0]


def _table(file: Path) -> dict[str, Any] | None:
    try:
        text = bytes_of(file)
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
        raise BadSettings(f"{file}: tool.trl-doctor is not a table")
    return data
