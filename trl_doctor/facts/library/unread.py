"""What the installed trainer never reads: arguments of its config class, columns of its rows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from trl_doctor.core.trainer import Trainer
from trl_doctor.facts.library import TRAINING_ARGUMENTS, exports, trl_sources
from trl_doctor.facts.library.classes import Definition, Sources
from trl_doctor.machine.environment import Environment

STORE = re.compile(r"\s*\w+\.(\w+)\s*(?::[^=]*)?=\s*(?:\w+\.)?\1\s*$")
"""A line that only hands a value on under the same name: `self.beta = args.beta`."""

READ = re.compile(r"\.(\w+)\b|\b(?:get|has)attr\(\s*\w+\s*,\s*[\"'](\w+)[\"']")
QUOTED = re.compile(r"[\"'](\w+)[\"']")
LOOKED_UP = re.compile(r"(?:\.get\(|\[)\s*[\"'](\w+)[\"']")
IMPORT = re.compile(
    r"^[ \t]*from[ \t]+(\.*[\w.]*)[ \t]+import[ \t]+(\([^)]*\)|[^\n]+)", re.MULTILINE
)
TRL = "trl."


@lru_cache(maxsize=256)
def never_read(environment: Environment, trainer: Trainer, names: frozenset[str]) -> frozenset[str]:
    """Those of the arguments that the trainer's config class adds, and nothing behind it reads.

    Read are the modules of the trainer, and what they import from trl. Raises `Unavailable` where
    the sources cannot be read.
    """
    sources = trl_sources(environment)
    config = _class(sources, trainer.config)
    unread = set(names & _added(sources, config)) if config else set()
    if not unread or config is None:
        return frozenset()
    beside = config.module.removesuffix("_config") + "_trainer"
    unread -= _reads(sources.text(beside) or "")  # nearly always all of them, and nothing is parsed
    trains = _class(sources, trainer.trainer) if unread else None
    if trains is None:
        return frozenset()
    for name in _reached(sources, trains.module):
        unread -= _reads(sources.text(name) or "")
        if not unread:
            return frozenset()
    for name in {each.module for each in sources.lineage(config)}:
        if name.startswith(TRL):  # it renames some, checks them and warns
            text = sources.text(name) or ""
            unread -= _reads(text) | set(QUOTED.findall(text))
    return frozenset(unread)


def _class(sources: Sources, name: str) -> Definition | None:
    home = exports.home(sources, name)
    definition = sources.definition(home, name) if home else None
    return exports.original(sources, definition) if definition else None


def _added(sources: Sources, config: Definition) -> set[str]:
    """The fields that TrainingArguments does not have, which transformers reads itself."""
    base = sources.definition(*TRAINING_ARGUMENTS)
    base_fields = sources.fields(base) if base else {}
    return {*sources.fields(config)} - {*base_fields} if base_fields else set()


def _reached(sources: Sources, module: str) -> Iterator[str]:
    """The module, and all that it imports from trl, nearest first."""
    seen, waiting = set[str](), [module]
    while waiting:
        name = waiting.pop(0)
        text = None if name in seen else sources.text(name)
        seen.add(name)
        if text is None:
            continue
        yield name
        for home, imported in IMPORT.findall(text):
            parts = re.findall(r"\w+", imported)
            for start in _homes(name, home):
                if start.startswith(TRL):
                    waiting += [start, *(f"{start}.{part}" for part in parts)]


def _homes(module: str, home: str) -> Iterator[str]:
    """The modules that `from home import …` can name in another module, or in a package."""
    dots, parts = len(home) - len(home.lstrip(".")), module.split(".")
    if not dots:
        yield home
    for depth in (len(parts) - dots, len(parts) - dots + 1) if dots else ():
        yield ".".join([*parts[:depth], home[dots:]]).rstrip(".")


def _reads(text: str) -> set[str]:
    return {
        groups[0] or groups[1]
        for line in text.splitlines()
        if not STORE.match(line)
        for groups in READ.findall(line)
    }


@lru_cache(maxsize=64)
def columns_read(environment: Environment, trainer: Trainer) -> frozenset[str] | None:
    """The names that the trainer's own module looks up in a row, or in another mapping.

    None where its source is not here. Raises `Unavailable` as `never_read`.
    """
    sources = trl_sources(environment)
    trains = _class(sources, trainer.trainer)
    text = sources.text(trains.module) if trains else None
    return None if text is None else frozenset(LOOKED_UP.findall(text))
