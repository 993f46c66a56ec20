"""A config.json that transformers refuses, or that needs code of its own: found in the files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from commands import answered, checks, died
from laid import Interpreter
from run_with_rows import laid, texts

OWN = {"model_type": "own", "auto_map": {"AutoConfig": "own.Config"}}
INSIDE = {"model_type": "gemma3", "text_config": {"hidden_size": "64"}}
REFUSED, CODE = "config-refused-by-transformers", "model-brings-code"
CLASS = "model-class-unknown"


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
    interpreter: Interpreter,
) -> None:
    python = interpreter(environment)
    file = laid(tmp_path / "job", {}, texts())
    config_file = file.parent / "model/config.json"
    config_file.write_text(json.dumps({**json.loads(config_file.read_text()), **changes}))
    error = died(python, file.parent, "sft")
    assert dies in error if dies else error == ""
    flags = ("--trainer", "sft", "--select", rule, "--level", "files")
    findings = checks(file, python, *flags)[rule]["findings"]
    assert [finding["severity"] for finding in findings] == ([severity] if severity else [])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("environment", "classes", "dies"),
    [
        ("current", None, "'NoneType' object is not subscriptable"),
        ("current", ["LlamaForCausalLLM"], "has no attribute 'auto_map'"),
        ("four", ["LlamaForCausalLLM"], ""),
    ],
)
def test_a_class_that_transformers_lacks(
    environment: str,
    classes: list[str] | None,
    dies: str,
    tmp_path: Path,
    interpreter: Interpreter,
) -> None:
    python = interpreter(environment)
    file = laid(tmp_path / "job", {}, texts())
    config_file = file.parent / "model/config.json"
    config = json.loads(config_file.read_text())
    right = config.pop("architectures")
    config_file.write_text(json.dumps(config | ({"architectures": classes} if classes else {})))
    assert dies in died(python, file.parent, "sft")
    flags = ("--trainer", "sft", "--select", CLASS, "--level", "files")
    assert bool(checks(file, python, *flags)[CLASS]["findings"]) is bool(dies)
    assert not checks(file, python, *flags, "--fix")[CLASS]["findings"]
    assert died(python, file.parent, "sft") == ""
    if dies:
        assert json.loads(config_file.read_text())["architectures"] == right


@pytest.mark.slow
@pytest.mark.parametrize("environment", ["current", "four"])
def test_a_policy_that_cannot_generate(
    environment: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    python, rule = interpreter(environment), "model-is-no-causal-lm"
    file = laid(tmp_path / "job", {"report_to": "none"}, texts())
    config_file = file.parent / "model/config.json"
    classes = {"architectures": ["LlamaForSequenceClassification"]}
    config_file.write_text(json.dumps(json.loads(config_file.read_text()) | classes))
    error = died(python, file.parent, "sft")
    assert ("has no attribute 'generation_config'" in error) is (environment == "current")
    flags = ("--trainer", "sft", "--level", "tiny", "--select", f"{rule},step-raises")
    outcomes = checks(file, python, *flags)
    messages = [finding["message"] for finding in outcomes["step-raises"]["findings"]]
    assert bool(outcomes[rule]["findings"]) is bool(error)
    assert all("generation_config" in message for message in messages) and bool(messages) is bool(
        error
    )
    assert outcomes["step-raises"]["state"] == ("found" if error else "clear")


@pytest.mark.slow
def test_quantised_weights_without_their_package(tmp_path: Path, interpreter: Interpreter) -> None:
    python, rule = interpreter("current"), "model-does-not-load"
    file = laid(tmp_path / "job", {}, texts())
    config_file = file.parent / "model/config.json"
    settings = {"quantization_config": {"quant_method": "gptq", "bits": 4}}
    config_file.write_text(json.dumps(json.loads(config_file.read_text()) | settings))
    assert "requires optimum" in died(python, file.parent, "sft")
    outcomes = checks(file, python, "--trainer", "sft", "--level", "tiny", "--select", rule)
    (finding,) = outcomes[rule]["findings"]
    assert finding["severity"] == "error" and "pip install optimum" in finding["message"]


FORWARD = """
import json, sys, torch
from transformers import AutoConfig, AutoModelForCausalLM
config = AutoConfig.for_model(**json.load(sys.stdin))
try:
    AutoModelForCausalLM.from_config(config)(torch.ones(1, 4, dtype=torch.long))
    print(json.dumps(""))
except Exception as error:
    print(json.dumps(repr(error)))
"""


@pytest.mark.slow
@pytest.mark.parametrize("environment", ["current", "grpo-first"])
@pytest.mark.parametrize(("heads", "shared"), [(4, 3), (4, 0), (4, 2)])
def test_heads_that_do_not_divide(
    environment: str,
    heads: int,
    shared: int,
    tmp_path: Path,
    interpreter: Interpreter,
) -> None:
    python = interpreter(environment)
    sizes = {"hidden_size": 32, "intermediate_size": 32, "num_hidden_layers": 1, "vocab_size": 32}
    config = {**sizes, "num_attention_heads": heads, "num_key_value_heads": shared}
    error = answered(python, ["-c", FORWARD], request={"model_type": "llama", **config}, noisy=True)
    (tmp_path / "m").mkdir()
    (tmp_path / "m/config.json").write_text(json.dumps({"model_type": "llama", **config}))
    (tmp_path / "run.json").write_text(json.dumps({"model_name_or_path": "m"}))
    rule = "model-heads-do-not-divide"
    flags = ("--trainer", "sft", "--select", rule, "--level", "files")
    outcomes = checks(tmp_path / "run.json", python, *flags)[rule]["findings"]
    assert bool(outcomes) == bool(error) == (shared != 2)
