"""What the installed accelerate reads in its file; of every release if none is installed."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

from msgspec import Struct

from trl_doctor.facts.library.launcher_keys import (
    ACCELERATE,
    BACKENDS,
    KINDS,
    OF_DEEPSPEED,
    OF_FSDP,
)
from trl_doctor.facts.library.module import is_file, read_source
from trl_doctor.facts.library.vllm_classes import fields_of
from trl_doctor.machine.environment import Environment

CONFIG = "commands/config/config_args.py"
READERS = ("commands/launch.py", "utils/launch.py")
TYPES = "utils/dataclasses.py"

CONVERTED = re.compile(r'config_dict(?:\.pop\(|\[)"(\w+)"')
"""A key that accelerate itself rewrites before it looks for unknown ones."""

OPTION = re.compile(r'"--(\w+)"|\bargs\.(\w+)|\bgetattr\(args, "(\w+)"')
"""What the launcher reads. Each key of a part of the file is put in the place of an option."""

KIND = re.compile(r'^    [A-Z0-9_]+ = "([A-Z0-9_]+)"', re.MULTILINE)


class Keys(Struct, frozen=True):
    """The keys at the top of the file, and those in its parts `deepspeed_config`, `fsdp_config`."""

    reader: str
    top: frozenset[str]
    deepspeed: frozenset[str]
    fsdp: frozenset[str]


RECORDED = Keys("accelerate", ACCELERATE, OF_DEEPSPEED, OF_FSDP)


@lru_cache(maxsize=32)
def keys_of_accelerate(environment: Environment) -> Keys:
    """The keys that the target's accelerate reads. Raises `Damaged`."""
    folder = _sources(environment)
    if folder is None:
        return RECORDED
    file = folder / CONFIG
    top = {*fields_of(file, "BaseConfig"), *fields_of(file, "ClusterConfig")}
    matches = OPTION.findall("".join(read_source(folder / name) for name in READERS))
    options = {name for names in matches for name in names if name}
    return Keys(
        f"accelerate {environment.version('accelerate') or ''}".strip(),
        frozenset(top.union(CONVERTED.findall(read_source(file)))),
        frozenset(options),
        frozenset(name for name in options if name.startswith("fsdp")),
    )


def kinds_of_accelerate(environment: Environment) -> tuple[str, ...]:
    """The values that `distributed_type` can have in the target's accelerate. Raises `Damaged`."""
    return _members(environment, "DistributedType") or KINDS


def backends_of_accelerate(environment: Environment) -> tuple[str, ...]:
    """The backends of torch.compile that the target's accelerate knows. Raises `Damaged`."""
    return _members(environment, "DynamoBackend") or BACKENDS


@lru_cache(maxsize=32)
def _members(environment: Environment, name: str) -> tuple[str, ...]:
    """The values of an enumeration of accelerate; none where it is not installed."""
    folder = _sources(environment)
    text = read_source(folder / TYPES) if folder else ""
    return tuple(KIND.findall(text.partition(f"class {name}(")[2].partition("\nclass ")[0]))


def _sources(environment: Environment) -> Path | None:
    folder = environment.source("accelerate")
    names = (CONFIG, *READERS, TYPES)
    return folder if folder and all(is_file(folder / name) for name in names) else None
