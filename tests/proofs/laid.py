"""Candidates laid out in a folder, and what the doctor and the real libraries say of them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import make
from commands import ENGINE, answered, checks

ROOT = Path(__file__).parents[2]
SAMPLING = Path(__file__).with_name("real_sampling.py")
Interpreter: TypeAlias = Callable[[str], Path]
Real: TypeAlias = Callable[..., dict[str, Any]]
END, TURN = "<|endoftext|>", "<|im_end|>"
END_ID, LENGTH = make.tokenizer().token_to_id(END), 12
UNSAFE = ("--fix", "--unsafe-fixes")
GRPO = {
    "trainer": "grpo",
    "model_name_or_path": "model",
    "num_processes": 1,
    "per_device_train_batch_size": 2,
    "num_generations": 2,
    "max_completion_length": LENGTH,
    "bf16": False,
}
PPO = {
    "trainer": "ppo",
    "model_name_or_path": "model",
    "reward_model_path": "reward",
    "value_model_name_or_path": "reward",
    "num_processes": 1,
    "response_length": LENGTH,
    "stop_token": "eos",
    "bf16": False,
}
NO_TURN_END = {
    "tokenizer_config.json": {"eos_token": END},
    "config.json": {"eos_token_id": END_ID},
    "generation_config.json": {"eos_token_id": END_ID},
}


def candidate(
    folder: Path,
    run: Mapping[str, Any],
    files: Mapping[str, Mapping[str, Any]] | None = None,
    added: tuple[str, ...] = (),
) -> None:
    """Lay out run.json, the healthy models, and what is different in the policy's files."""
    for model, fixture in (("model", "healthy"), ("reward", "reward")):
        shutil.copytree(ROOT / "fixtures/models" / fixture, folder / model)
    (folder / "run.json").write_text(json.dumps(run, indent=2))
    tokenizer = make.tokenizer(added)
    (folder / "model/tokenizer.json").write_text(tokenizer.to_str())
    config: dict[str, Any] = {"model_input_names": ["input_ids", "attention_mask"]}
    if added:
        config |= make.tokenizer_config(tokenizer)
    changes = {**(files or {})}
    changes["tokenizer_config.json"] = config | {**changes.get("tokenizer_config.json", {})}
    for name, keys in changes.items():
        change(folder / "model" / name, keys)


def change(path: Path, keys: Mapping[str, Any]) -> None:
    """Write keys into a JSON file; None takes a key out."""
    content = {**json.loads(path.read_text()), **keys}
    left = {key: value for key, value in content.items() if key not in keys or value is not None}
    path.write_text(json.dumps(left, indent=2))


def findings(python: Path, folder: Path, *flags: str) -> dict[str, list[dict[str, Any]]]:
    """What the doctor reads in the run's files for the target interpreter, by rule."""
    outcomes = checks(folder / "run.json", python, "--level", "files", *flags)
    return {rule: check["findings"] for rule, check in outcomes.items()}


def errors(python: Path, folder: Path, *flags: str) -> set[str]:
    """The rules that found an error."""
    results = findings(python, folder, *flags)
    return {rule for rule in results for finding in results[rule] if finding["severity"] == "error"}


def run_of(folder: Path) -> dict[str, Any]:
    """The run file as it stands now."""
    run: dict[str, Any] = json.loads((folder / "run.json").read_text())
    return run


def sampled(python: Path, folder: Path, ask: str, **more: Any) -> dict[str, Any]:
    """What real_sampling.py answers about the run as it stands now."""
    request = {"ask": ask, "run": run_of(folder), **more}
    variables = ENGINE if run_of(folder).get("use_vllm") else {}
    answer: dict[str, Any] = answered(
        python, SAMPLING, request=request, cwd=folder, noisy=True, **variables
    )
    return answer
