"""What a script imports of the libraries that train: imported once for all its rehearsals."""

from __future__ import annotations

import ast
from collections.abc import Iterator

FIRST = "trl_doctor_probes.rehearsal.warm"
"""The module that must be there before the libraries."""

USUAL = ("torch", "torch._dynamo", "transformers:AutoModelForCausalLM", "datasets", "trl")
LIBRARIES = ("torch", "transformers", "datasets", "trl", "peft", "accelerate", "numpy", "pandas")
"""What every rehearsal needs (an optimizer imports torch._dynamo), and libraries that do nothing of
their own when they are imported.
"""


def imports(script: str) -> tuple[str, ...]:
    """The imports that a process makes before it runs a script, as a `Question` names them."""
    try:
        tree = ast.parse(script)
    except (SyntaxError, ValueError, RecursionError):
        return (FIRST, *USUAL)
    sharded = ("deepspeed",) if "deepspeed" in script else ()
    return tuple(dict.fromkeys((FIRST, *USUAL, *_imported(tree), *sharded)))


def _imported(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names if _is_library(name.name))
        elif isinstance(node, ast.ImportFrom) and not node.level and _is_library(node.module or ""):
            yield from (f"{node.module}:{name.name}" for name in node.names if name.name != "*")


def _is_library(module: str) -> bool:
    return module.partition(".")[0] in LIBRARIES
