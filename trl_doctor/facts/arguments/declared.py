"""Keys of a run file that a script beside it declares in a class of its own."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

from trl_doctor.facts import Facts
from trl_doctor.files.regular import text_of

PARSERS = ("parse_args_and_config", "parse_yaml_file", "parse_json_file")
FIELD = re.compile(r"^[ \t]+(\w+)[ \t]*:[ \t]*[A-Za-z\"']", re.MULTILINE)
"""A field of a class, with its type."""

LARGEST, MOST = 256 * 1024, 50
"""Bytes of a script, and number of scripts of a folder, that are searched."""


def declared(facts: Facts) -> tuple[str, frozenset[str]]:
    """The script that declares most keys of a run file, and these keys; "" for none."""
    run = facts.run
    if run.by_class or run.program or run.target.launch is not None:
        return "", frozenset()
    return declared_in(run.target.path, frozenset(run.arguments))


def reader(file: Path, keys: frozenset[str]) -> str:
    """Why a script's own classes, and not TRL's, read most keys of a run file; "" if not."""
    script, own = declared_in(file, keys)
    if 2 * len(own) <= len(keys):
        return ""
    return (
        f"{script} reads this file: {len(own)} of {len(keys)} keys are fields of its own; run "
        f"`trl-doctor check {script} -- --config {file.name}`"
    )


@lru_cache(maxsize=16)
def declared_in(file: Path, keys: frozenset[str]) -> tuple[str, frozenset[str]]:
    """The same for a file with these keys."""
    found = [
        (script.name, keys & fields)
        for script in _scripts(file)
        if (fields := _fields(script)) and keys & fields
    ]
    alike = _words(file.stem)
    return max(
        found,
        key=lambda each: (2 * len(each[1]) > len(keys), len(alike & _words(each[0])), len(each[1])),
        default=("", frozenset()),
    )


def _words(name: str) -> set[str]:
    return set(re.split(r"[^a-z0-9]+", name.lower()))


def _scripts(file: Path) -> list[Path]:
    folders = dict.fromkeys((file.parent.absolute(), file.parent.absolute().parent, Path.cwd()))
    return [script for folder in folders for script in sorted(folder.glob("*.py"))[:MOST]]


def _fields(script: Path) -> frozenset[str]:
    """The fields of the classes of a script that reads a run file."""
    try:
        text = text_of(script, "replace") if script.stat().st_size <= LARGEST else ""
    except OSError:
        return frozenset()
    return frozenset(FIELD.findall(text)) if any(map(text.__contains__, PARSERS)) else frozenset()
