"""The model types for which `AutoModelForCausalLM` has a class."""

from __future__ import annotations

import ast
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
        return model_type in _read(folder)
    if stated is None or not FIRST <= stated <= LAST:
        raise Unavailable("which classes transformers has is not known: say --python")
    return model_type not in WITHOUT


@lru_cache(maxsize=8)
def _read(folder: Path) -> frozenset[str]:
    for node in ast.parse(read_source(folder / FILE)).body:
        if isinstance(node, ast.Assign | ast.AnnAssign):
            target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
            if isinstance(target, ast.Name) and target.id == TABLE and node.value is not None:
                return frozenset(_names(node.value))
    raise Unavailable(f"transformers has no {TABLE}")


def _names(value: ast.expr) -> list[str]:
    """The first of each pair in a table."""
    return [
        str(one.elts[0].value)
        for one in ast.walk(value)
        if isinstance(one, ast.Tuple) and one.elts and isinstance(one.elts[0], ast.Constant)
    ]
