"""The arguments of vLLM's classes, read from their annotated fields without importing them."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from trl_doctor.facts.library import vllm_releases
from trl_doctor.facts.library.classes import Damaged, Module
from trl_doctor.facts.library.module import read_source
from trl_doctor.machine.environment import Environment

FILES = {"SamplingParams": "sampling_params.py", "EngineArgs": "engine/arg_utils.py"}


def sampling_arguments(environment: Environment) -> Mapping[str, str]:
    """The types of the arguments of SamplingParams, by name. Raises `Unavailable`."""
    return _arguments(environment, "SamplingParams")


def engine_arguments(environment: Environment) -> Mapping[str, str]:
    """The types of the arguments of LLM, by name. Raises `Unavailable`."""
    return _arguments(environment, "EngineArgs")


@lru_cache(maxsize=32)
def _arguments(environment: Environment, name: str) -> Mapping[str, str]:
    folder = environment.source("vllm")
    if folder is not None:
        return fields_of(folder / FILES[name], name)
    version = environment.known_version("vllm")
    return vllm_releases.arguments("sampling" if name == "SamplingParams" else "engine", version)


def fields_of(file: Path, name: str) -> dict[str, str]:
    """The public annotated fields of a class, with their types as source text."""
    tree = Module("vllm", file, read_source(file)).tree
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and node.name == name:
            return {
                statement.target.id: ast.unparse(statement.annotation)
                for statement in node.body
                if isinstance(statement, ast.AnnAssign)
                and isinstance(statement.target, ast.Name)
                and not statement.target.id.startswith("_")
            }
    raise Damaged(f"{file} has no {name}")
