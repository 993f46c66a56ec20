"""Candidates for the colocated engine, one real step with them, and what the doctor says."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import make
from commands import ENGINE, answered, reports

from trl_doctor.core.finding import Json

PROOFS = Path(__file__).parents[1]
END, TURN = "<|endoftext|>", "<|im_end|>"
LENGTH = 8
RUN = {
    "trainer": "grpo",
    "model_name_or_path": "model",
    "dataset_format": "conversational",
    "num_processes": 1,
    "per_device_train_batch_size": 4,
    "num_generations": 4,
    "max_completion_length": LENGTH,
    "use_vllm": True,
    "vllm_mode": "colocate",
}


def candidate(
    folder: Path, run: Mapping[str, Any], added: tuple[str, ...] = (), eos: str = TURN
) -> None:
    """run.json, and a model that vLLM takes with a tied head."""
    (folder / "run.json").write_text(json.dumps(run, indent=2))
    shutil.rmtree(folder / "model", ignore_errors=True)
    tokenizer = tokenizer_into(folder / "model", added, eos)
    ids = {"eos_token_id": tokenizer.token_to_id(eos), "pad_token_id": 299}
    for name, content in (("config.json", make.config(**ids)), ("generation_config.json", ids)):
        (folder / "model" / name).write_text(json.dumps(content, indent=2))
    weights = make.safetensors(make.tensors())
    (folder / "model/model.safetensors").write_bytes(weights)


def tokenizer_into(folder: Path, added: tuple[str, ...], eos: str = TURN) -> Any:
    """A training tokenizer with these special tokens, saved into a folder."""
    folder.mkdir(parents=True)
    tokenizer = make.tokenizer(added)
    (folder / "tokenizer.json").write_text(tokenizer.to_str())
    config = make.tokenizer_config(tokenizer, eos_token=eos, pad_token="<|fim_pad|>")
    (folder / "tokenizer_config.json").write_text(json.dumps(config, indent=2))
    return tokenizer


def real(python: Path, folder: Path, **request: Any) -> dict[str, Any]:
    """What one real GRPO step with the colocated engine does."""
    script = PROOFS / "real_engine.py"
    answer: dict[str, Any] = answered(python, script, request=request, cwd=folder, **ENGINE)
    return answer


def target(python: Path | None, folder: Path, *flags: str) -> dict[str, Any]:
    """The doctor's report on run.json; without `python` of the files, for releases as stated."""
    stated = ("--with", "trl==1.16.0", "--with", "transformers==5.19.0", "--level", "files")
    named = () if python else stated
    (report,) = reports([folder / "run.json"], python, *named, *flags, statuses=(0, 1, 3))
    return report


WINDOW = "vllm-outside-trl-window"
"""What is always said here: trl 1.16.0 supports no vLLM 0.32.0."""

SELECTED = ("--select", "vllm-*", "--select", "chat-template-turn-end-is-not-eos")


def findings_of(python: Path, folder: Path) -> dict[str, list[dict[str, Any]]]:
    """What the doctor finds with the real engine, by rule; all of its engine rules ran."""
    checks = target(python, folder, "--level", "tiny", *SELECTED)["checks"]
    skipped = [check["reason"] for check in checks if check["rule"] == "vllm-runs-past-turn-end"
               and check["state"] == "skipped"]  # fmt: skip
    assert skipped == []
    return {check["rule"]: check["findings"] for check in checks if check["findings"]}


def files(folder: Path, *flags: str) -> dict[str, list[dict[str, Any]]]:
    """What the doctor finds in the files alone, where no vLLM is installed."""
    checks = target(None, folder, *SELECTED, *flags)["checks"]
    return {check["rule"]: check["findings"] for check in checks if check["findings"]}


def errors(findings: Mapping[str, list[dict[str, Any]]]) -> set[str]:
    """The rules that found an error."""
    return {
        rule for rule in findings for finding in findings[rule] if finding["severity"] == "error"
    }


def of_architecture(python: Path, folder: Path, run: Mapping[str, Any], **config: Json) -> None:
    """A candidate of an architecture of its own, with random weights."""
    candidate(folder, run)
    (folder / "model/model.safetensors").unlink()
    named = str(config.pop("architecture"))
    content = make.config(named, eos_token_id=298, pad_token_id=299, **config)
    (folder / "model/config.json").write_text(json.dumps(content))
    assert real(python, folder, ask="build", into="model")["error"] is None


def silent(python: Path, folder: Path, *more: str) -> bool:
    """Whether the doctor took the step with vLLM, and these rules find nothing."""
    rules = ("vllm-*", "kv-*", *more)
    flags = [flag for rule in rules for flag in ("--select", rule)]
    checks = target(python, folder, *flags, "--ignore", WINDOW)["checks"]
    messages = [finding["message"] for check in checks for finding in check["findings"]]
    assert messages == []
    return {"vllm-step-raises": "clear"}.items() <= {c["rule"]: c["state"] for c in checks}.items()
