"""The model classes of transformers: those of `AutoModelForCausalLM` by type, and all by name."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from packaging.version import Version

from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.library.module import read_source
from trl_doctor.machine.environment import Environment

FILE, TABLE = "models/auto/modeling_auto.py", "MODEL_FOR_CAUSAL_LM_MAPPING_NAMES"
FIRST, LAST = Version("4.46.3"), Version("5.23.0")
WITHOUT = frozenset(
    {"aria", "chameleon", "idefics", "idefics2", "idefics3", "instructblip", "internvl", "llava",
     "llava_next", "llava_onevision", "mistral3", "paligemma", "qwen2_5_vl", "qwen2_vl",
     "qwen3_vl", "qwen3_vl_moe", "smolvlm", "vipllava"}
)  # fmt: skip
"""Types that see images and that no release from the first to the last has a class for."""


def is_causal(environment: Environment, model_type: str) -> bool:
    """Whether it has a class for a type, read from the installed transformers.

    Without it, all have one but those that no tested release has. Raises `Unavailable` for other
    releases.
    """
    folder, stated = environment.source("transformers"), environment.version("transformers")
    if folder is not None and stated == environment.installed_version("transformers"):
        return model_type in _causal_classes(folder)
    if stated is None or not FIRST <= stated <= LAST:
        raise Unavailable("which classes transformers has is not known: use --python")
    return model_type not in WITHOUT


def causal_class(environment: Environment, model_type: str) -> str:
    """The class that `AutoModelForCausalLM` has for a type; empty if none is known."""
    folder = environment.source("transformers")
    return _causal_classes(folder).get(model_type, "") if folder else ""


@lru_cache(maxsize=64)
def has_class(environment: Environment, name: str) -> bool:
    """Whether the installed transformers has a model class of that name.

    Raises `Unavailable` without the sources of the release that runs the job.
    """
    folder, stated = environment.source("transformers"), environment.version("transformers")
    if folder is None or stated != environment.installed_version("transformers"):
        raise Unavailable("the sources of transformers are not here: use --python")
    if f'"{name}"' in read_source(folder / FILE):
        return True
    definition = f"class {name}(".encode()
    return any(definition in file.read_bytes() for file in folder.glob("models/*/modeling_*.py"))


@lru_cache(maxsize=8)
def _causal_classes(folder: Path) -> Mapping[str, str]:
    for node in ast.parse(read_source(folder / FILE)).body:
        if isinstance(node, ast.Assign | ast.AnnAssign):
            target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
            if isinstance(target, ast.Name) and target.id == TABLE and node.value is not None:
                return dict(_pairs(node.value))
    raise Unavailable(f"transformers has no {TABLE}")


def _pairs(value: ast.expr) -> Iterator[tuple[str, str]]:
    """The pairs of texts in a table: a model type and its class."""
    for node in ast.walk(value):
        if isinstance(node, ast.Tuple) and len(node.elts) == 2:
            texts = [item.value for item in node.elts if isinstance(item, ast.Constant)]
            if len(texts) == 2:
                yield str(texts[0]), str(texts[1])
