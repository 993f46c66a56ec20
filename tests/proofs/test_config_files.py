"""A config.json that transformers refuses, or that needs code of its own: told by the files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from commands import checks, died
from test_rows import laid, texts

OWN = {"model_type": "own", "auto_map": {"AutoConfig": "own.Config"}}
INSIDE = {"model_type": "gemma3", "text_config": {"hidden_size": "64"}}
REFUSED, CODE = "config-refused-by-transformers", "model-brings-code"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("environment", "changes", "dies", "rule", "severity"),
    [
        ("current", {"hidden_size": "64"}, "expected int, got str", REFUSED, "error"),
        ("current", {"tie_word_embeddings": "True"}, "expected bool, got str", REFUSED, "error"),
        ("current", INSIDE, "expected int, got str", REFUSED, "error"),
        ("current", {"model_type": "llama9"}, "does not recognize this", REFUSED, "error"),
        ("four", {"model_type": "llama9"}, "does not recognize this", REFUSED, "error"),
        ("current", OWN, "trust_remote_code=True", CODE, "error"),
        ("current", {"auto_map": {"AutoConfig": "own.Config"}}, "", CODE, ""),
        ("four", {"auto_map": {"AutoConfig": "own.Config"}}, "", CODE, ""),
    ],
)
def test_a_config_that_is_refused(
    environment: str,
    changes: dict[str, Any],
    dies: str,
    rule: str,
    severity: str,
    tmp_path: Path,
    interpreter: Callable[[str], Path],
) -> None:
    python = interpreter(environment)
    file = laid(tmp_path / "job", {}, texts())
    said = file.parent / "model/config.json"
    said.write_text(json.dumps({**json.loads(said.read_text()), **changes}))
    error = died(python, file.parent, "sft")
    assert dies in error if dies else error == ""
    flags = ("--trainer", "sft", "--select", rule, "--level", "files")
    findings = checks(file, python, *flags)[rule]["findings"]
    assert [one["severity"] for one in findings] == ([severity] if severity else [])
