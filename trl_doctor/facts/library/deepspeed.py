"""What the installed DeepSpeed takes in its settings, from the text of its sources."""

from __future__ import annotations

import re
from functools import lru_cache

from trl_doctor.facts.library.module import is_file, read_source
from trl_doctor.machine.environment import Environment

CONFIG = "runtime/config.py"
OPTIMIZER = re.compile(r"^\w+_OPTIMIZER = ['\"](\w+)['\"]", re.MULTILINE)
OF_TORCH = re.compile(r"^from torch\.optim\.\w+ import (\w+)", re.MULTILINE)
REMOVED = {
    (): "_REMOVED_TOP_LEVEL_CONFIG_KEYS",
    ("zero_optimization",): "_REMOVED_ZERO_CONFIG_KEYS",
}
"""The tables of keys that it refuses because it has lost what they asked for, by their route."""

KEY = re.compile(r'^    "(\w+)":', re.MULTILINE)

OPTIMIZERS = frozenset(
    {
        *("adam", "adamw", "lamb", "onebitadam", "onebitlamb", "zerooneadam", "lion", "muadam"),
        *("muadamw", "musgd", "muon", "adagrad"),
    }
)
"""Optimizers of DeepSpeed in any release, whose case does not count."""

TORCH = frozenset(
    {
        *("ASGD", "Adadelta", "Adafactor", "Adagrad", "Adam", "AdamW", "Adamax", "LBFGS", "Muon"),
        *("NAdam", "RAdam", "RMSprop", "Rprop", "SGD", "SparseAdam"),
    }
)
"""Optimizers of torch in any release: DeepSpeed takes them by exactly these names."""


def optimizers(environment: Environment) -> frozenset[str]:
    """The optimizers of the target's DeepSpeed, in lower case. Raises `Damaged`."""
    return frozenset(OPTIMIZER.findall(_config(environment))) or OPTIMIZERS


def optimizers_of_torch(environment: Environment) -> frozenset[str]:
    """The optimizers of the target's torch. Raises `Damaged`."""
    folder = environment.source("torch")
    file = folder / "optim/__init__.py" if folder else None
    names = OF_TORCH.findall(read_source(file)) if file and is_file(file) else ()
    return TORCH.union(names) - {"Optimizer"}


def removed(environment: Environment) -> dict[tuple[str, ...], frozenset[str]]:
    """The keys that the target's DeepSpeed refuses as removed, by the part. Raises `Damaged`."""
    text = _config(environment)
    tables = {
        route: text.partition(f"\n{name} = {{")[2].partition("\n}")[0]
        for route, name in REMOVED.items()
    }
    return {route: frozenset(KEY.findall(table)) for route, table in tables.items()}


@lru_cache(maxsize=32)
def _config(environment: Environment) -> str:
    folder = environment.source("deepspeed")
    file = folder / CONFIG if folder else None
    return read_source(file) if file and is_file(file) else ""
