"""Rows without columns, a model of an unknown type, half a tokenizer, weights with copies."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from commands import checks, ran
from laid import ROOT, Interpreter, change

TRAIN = """
import json, sys
from datasets import Dataset
from trl import GRPOConfig, GRPOTrainer
args = GRPOConfig("out", max_steps=1, per_device_train_batch_size=2, num_generations=2,
                  max_completion_length=4, report_to="none", use_cpu=True, bf16=False)
rows = [json.loads(line) for line in open("rows.jsonl")]
reward = lambda completions, **_: [0.0 for _ in completions]
GRPOTrainer("model", reward, args, train_dataset=Dataset.from_list(rows * 4)).train()
"""
POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 7031645\n"
LOAD = "from transformers import AutoConfig; AutoConfig.from_pretrained('model')"


@pytest.mark.slow
@pytest.mark.parametrize("environment", ["current", "four"])
def test_rows_without_prompts(environment: str, tmp_path: Path, interpreter: Interpreter) -> None:
    python = interpreter(environment)
    laid_out(tmp_path, {"question": "Why?", "answer": "So."})
    assert "KeyError: 'prompt'" in raised(python, TRAIN, tmp_path)
    (finding,) = findings(python, tmp_path, "data-lacks-columns")
    assert (finding["severity"], "needs prompt" in finding["message"]) == (
        "error",
        True,
    )
    laid_out(tmp_path, {"prompt": "Why?", "answer": "So."})
    assert raised(python, TRAIN, tmp_path) == ""
    assert findings(python, tmp_path, "data-lacks-columns") == []


@pytest.mark.slow
@pytest.mark.parametrize("environment", ["current", "grpo-first"])
def test_an_unknown_model_type(environment: str, tmp_path: Path, interpreter: Interpreter) -> None:
    python = interpreter(environment)
    laid_out(tmp_path, {"prompt": "Why?"})
    assert findings(python, tmp_path, "model-does-not-load") == []
    config = tmp_path / "model/config.json"
    config.write_text(json.dumps({**json.loads(config.read_text()), "model_type": "own"}))
    assert "does not recognize this architecture" in raised(python, LOAD, tmp_path)
    (finding,) = findings(python, tmp_path, "model-does-not-load")
    assert finding["severity"] == "error"


TOKENIZE = """
from transformers import AutoTokenizer
print(len(AutoTokenizer.from_pretrained('model')('hello').input_ids))
"""


@pytest.mark.slow
@pytest.mark.parametrize("environment", ["current", "four"])
def test_half_a_tokenizer(environment: str, tmp_path: Path, interpreter: Interpreter) -> None:
    python, model = interpreter(environment), tmp_path / "model"
    laid_out(tmp_path, {"prompt": "Why?"})
    whole = (model / "tokenizer.json").read_text()
    assert raised(python, TOKENIZE, tmp_path) == ""
    for text, rule, says in (
        (None, "model-files-missing", "there is neither tokenizer.json nor tokenizer.model"),
        (whole[: len(whole) // 2], "file-unreadable", "tokenizer.json is not valid JSON: it ends"),
        (POINTER, "file-is-lfs-pointer", "tokenizer.json is a Git LFS pointer, not the file"),
    ):
        (model / "tokenizer.json").unlink()
        if text is not None:
            (model / "tokenizer.json").write_text(text)
        assert raised(python, TOKENIZE, tmp_path)
        (finding,) = findings(python, tmp_path, rule)
        assert (finding["severity"], says in finding["message"]) == ("error", True)
        (model / "tokenizer.json").write_text(whole)
    assert findings(python, tmp_path, "model-files-missing") == []


@pytest.mark.slow
def test_an_adapter_without_weights(tmp_path: Path, interpreter: Interpreter) -> None:
    python, adapter = interpreter("current"), tmp_path / "adapter"
    laid_out(tmp_path, {"prompt": "Why?"})
    change(tmp_path / "run.json", {"model_name_or_path": "adapter"})
    make = (
        "from peft import LoraConfig, get_peft_model\n"
        "from transformers import AutoModelForCausalLM, AutoTokenizer\n"
        "model = AutoModelForCausalLM.from_pretrained('model')\n"
        "get_peft_model(model, LoraConfig(task_type='CAUSAL_LM')).save_pretrained('adapter')\n"
        "AutoTokenizer.from_pretrained('model').save_pretrained('adapter')\n"
    )
    assert raised(python, make, tmp_path) == ""
    load = "from transformers import AutoModelForCausalLM as A\nA.from_pretrained('adapter')"
    assert raised(python, load, tmp_path) == ""
    assert findings(python, tmp_path, "model-files-missing") == []
    (adapter / "adapter_model.safetensors").unlink()
    assert "adapter_model.safetensors" in raised(python, load, tmp_path)
    (finding,) = findings(python, tmp_path, "model-files-missing")
    assert "adapter is an adapter without weights" in finding["message"]


@pytest.mark.slow
def test_a_vocabulary_that_is_made_up(tmp_path: Path, interpreter: Interpreter) -> None:
    """transformers 5 loads it, and every text is empty."""
    python, model = interpreter("current"), tmp_path / "model"
    laid_out(tmp_path, {"prompt": "Why?"})
    (model / "tokenizer.json").unlink()
    settings = json.loads((model / "tokenizer_config.json").read_text())
    settings["tokenizer_class"] = "Qwen2Tokenizer"
    (model / "tokenizer_config.json").write_text(json.dumps(settings))
    assert ran(python, "-c", TOKENIZE, cwd=tmp_path).stdout == "0\n"
    (finding,) = findings(python, tmp_path, "model-files-missing")
    assert "Qwen2Tokenizer makes one up, of size 4" in finding["message"]


@pytest.mark.slow
@pytest.mark.parametrize("more", [{"deepspeed": "zero.json"}, {"fsdp": "full_shard"}])
def test_float32_copies_that_may_be_kept_are_no_finding(
    more: dict[str, str], tmp_path: Path, interpreter: Interpreter
) -> None:
    laid_out(tmp_path, {"prompt": "Why?"})
    run = json.loads((tmp_path / "run.json").read_text())
    run |= {"learning_rate": 1e-6, "num_processes": 1}
    run["model_init_kwargs"] = {"dtype": "bfloat16"}
    rules = ("step-weights-do-not-move", "weights-in-bf16-do-not-move")
    for given, states in ((run, {"found"}), ({**run, **more}, {"skipped"})):
        (tmp_path / "run.json").write_text(json.dumps(given))
        flags = ("--select", ",".join(rules), "--level", "tiny")
        file, python = tmp_path / "run.json", interpreter("current")
        outcomes = checks(file, python, *flags, statuses=(0, 1, 3))
        assert {outcomes[rule]["state"] for rule in rules} == states


def laid_out(folder: Path, row: dict[str, str]) -> None:
    """The healthy model, a run that trains it with GRPO, and one row."""
    shutil.copytree(ROOT / "fixtures/models/healthy", folder / "model", dirs_exist_ok=True)
    run = {"trainer": "grpo", "model_name_or_path": "model", "dataset_name": "rows.jsonl"}
    (folder / "run.json").write_text(json.dumps({**run, "bf16": False}))
    (folder / "rows.jsonl").write_text(json.dumps(row) + "\n")


def raised(python: Path, script: str, folder: Path) -> str:
    """The last line of what the real library says where it raises; empty where it does not."""
    process = ran(python, "-c", script, cwd=folder)
    return process.stderr if process.returncode else ""


def findings(python: Path, folder: Path, rule: str) -> list[dict[str, Any]]:
    """What a rule finds in the run."""
    return list(checks(folder / "run.json", python, "--select", rule)[rule]["findings"])
