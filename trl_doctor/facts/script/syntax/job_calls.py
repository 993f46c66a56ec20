"""Calls that a part of a script may not make alone: they load models, train, or ask servers."""

from __future__ import annotations

import ast
import re

ROOTS = frozenset({
    "anthropic", "comet_ml", "httpx", "mlflow", "multiprocessing", "openai", "ray", "requests",
    "subprocess", "trackio", "unsloth", "urllib", "vllm", "wandb",
})  # fmt: skip
"""Modules whose functions start programs, ask servers, or load models."""

NAMES = frozenset({
    "LLM", "OpenAI", "Popen", "SentenceTransformer", "check_call", "check_output",
    "get_peft_model", "get_kbit_device_map", "login", "notebook_login", "pipeline", "popen",
    "push_to_hub", "snapshot_download", "system",
})  # fmt: skip
"""Functions and classes that do so under these names."""

SMALL = re.compile(r"Tokenizer|Processor|Config|FeatureExtractor")
"""Classes whose `from_pretrained` loads no weights."""


def call_of_job(statement: ast.AST) -> str:
    """The line of such a call in a statement, and what it calls; "" if it makes none."""
    for node in ast.walk(statement):
        if isinstance(node, ast.Call) and _is_of_job(node.func):
            return f"{node.lineno} calls {ast.unparse(node.func)}"
    return ""


def _is_of_job(function: ast.expr) -> bool:
    words = ast.unparse(function).split(".")
    if words[-1] in ("from_pretrained", "from_config"):
        return not SMALL.search(words[-2] if len(words) > 1 else "")
    return words[0] in ROOTS or words[-1] in NAMES or words[-1].endswith("Trainer")
