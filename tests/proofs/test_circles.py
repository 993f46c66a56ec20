"""Candidates that the real library refuses, or trains wrongly, until the doctor mends them."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import make
import pytest

ROOT = Path(__file__).parents[2]
Interpreter: TypeAlias = Callable[[str], Path]
Real: TypeAlias = Callable[..., dict[str, Any]]
END, TURN = "<|endoftext|>", "<|im_end|>"
END_ID, LENGTH = make.tokenizer().token_to_id(END), 12
GRPO = {
    "trainer": "grpo",
    "model_name_or_path": "model",
    "num_processes": 1,
    "per_device_train_batch_size": 2,
    "num_generations": 2,
    "max_completion_length": LENGTH,
    "bf16": False,
}
DPO = {"trainer": "dpo", "model_name_or_path": "model", "bf16": False}
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
NO_PAD = {
    "tokenizer_config.json": {"pad_token": None},
    "config.json": {"pad_token_id": None},
    "generation_config.json": {"pad_token_id": None},
}
NO_TURN_END = {
    "tokenizer_config.json": {"eos_token": END},
    "config.json": {"eos_token_id": END_ID},
    "generation_config.json": {"eos_token_id": END_ID},
}
NO_VALUE = {**PPO, "value_model_name_or_path": None}
NEVER_STOPS = {key: one for key, one in PPO.items() if key != "stop_token"}
GROUPS_OF_8 = {**GRPO, "num_generations": 8, "gradient_accumulation_steps": 3}


@dataclass(frozen=True)
class Circle:
    """A candidate that is the healthy fixture but for `files`, where None takes a key out.

    `dies` is what the library says; "" where it says nothing and generates to the limit, although
    the policy ends every answer at once. `widths` is what it generates once mended.
    """

    rule: str
    environment: str
    run: Mapping[str, Any]
    files: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    dies: str = ""
    flags: tuple[str, ...] = ()
    widths: int = 1

    @property
    def name(self) -> str:
        return f"{self.rule}-{self.run['trainer']}-{self.environment}"


PAD, ENDLESS, MISSING = "tokenizer-pad-missing", "ppo-never-stops-at-eos", "ppo-model-missing"
ASKS = "ValueError: Asking to pad but the tokenizer does not have a padding token"
MODULES, PREFIX = "no attribute 'modules'", "no attribute 'base_model_prefix'"
TALKS_ON, UNSAFE = "chat-template-turn-end-is-not-eos", ("--unsafe-fixes",)
CIRCLES = (
    Circle(PAD, "grpo-first", GRPO, NO_PAD, ASKS),
    Circle(PAD, "grpo-first", DPO, NO_PAD, "`pad_token_id` is missing"),
    Circle(PAD, "ppo-first", PPO, NO_PAD, ASKS, widths=LENGTH),
    Circle(PAD, "ppo-last", PPO, NO_PAD, ASKS),
    Circle(TALKS_ON, "four", GRPO, NO_TURN_END),
    Circle(TALKS_ON, "current", GRPO, NO_TURN_END),
    Circle(MISSING, "ppo-first", NO_VALUE, dies=MODULES, flags=UNSAFE, widths=LENGTH),
    Circle(MISSING, "ppo-last", NO_VALUE, dies=PREFIX, flags=UNSAFE),
    Circle(ENDLESS, "ppo-last", NEVER_STOPS),
    Circle(
        "batch-not-divisible-by-generations",
        "four",
        GROUPS_OF_8,
        dies="generation_batch_size (6) must be divisible by num_generations (8)",
        flags=UNSAFE,
    ),
    Circle(
        "tokenizer-gives-token-type-ids",
        "four",
        GRPO,
        {"tokenizer_config.json": {"model_input_names": None}},
        "['token_type_ids']",
    ),
)


@pytest.mark.slow
@pytest.mark.parametrize("circle", CIRCLES, ids=[circle.name for circle in CIRCLES])
def test_the_mended_candidate_trains(
    circle: Circle, tmp_path: Path, interpreter: Interpreter, real: Real
) -> None:
    python = interpreter(circle.environment)
    candidate(tmp_path / "broken", circle.run, circle.files)
    before = real(python, tmp_path / "broken", ask="train", run=circle.run, say=TURN)
    if circle.dies:
        assert circle.dies in (before["error"] or "nothing")
    else:
        assert (before["error"], set(before["generated"])) == (None, {LENGTH})

    assert errors(python, tmp_path / "broken") == {circle.rule}
    shutil.copytree(tmp_path / "broken", tmp_path / "mended")
    assert errors(python, tmp_path / "mended", "--fix", *circle.flags) == set()

    run = json.loads((tmp_path / "mended/run.json").read_text())
    after = real(python, tmp_path / "mended", ask="train", run=run, say=TURN)
    assert (after["error"], set(after.get("generated", ()))) == (None, generated(circle))
    if circle.rule == TALKS_ON:
        assert (clipped(before), clipped(after)) == (1.0, 0.0)
    assert errors(python, tmp_path / "mended") == set()


@pytest.mark.slow
def test_nothing_stops_the_first_ppo(tmp_path: Path, interpreter: Interpreter, real: Real) -> None:
    """The doctor keeps its warning after the fix, and the library keeps generating."""
    python = interpreter("ppo-first")
    candidate(tmp_path, NEVER_STOPS)
    before = real(python, tmp_path, ask="train", run=NEVER_STOPS, say=TURN)
    assert (before["error"], set(before["generated"])) == (None, {LENGTH})
    assert errors(python, tmp_path) == {ENDLESS}
    assert errors(python, tmp_path, "--fix") == set()
    run = json.loads((tmp_path / "run.json").read_text())
    assert run["stop_token"] == "eos"
    after = real(python, tmp_path, ask="train", run=run, say=TURN)
    assert (after["error"], set(after["generated"])) == (None, {LENGTH})
    (left,) = findings(python, tmp_path)[ENDLESS]
    assert left["severity"] == "warning"
    assert f"generates all {LENGTH} tokens" in left["message"]


@pytest.mark.slow
@pytest.mark.parametrize("reader", ["grpo-first", "four"])
def test_transformers_4_reads_what_5_saved(
    reader: str, tmp_path: Path, interpreter: Interpreter, real: Real
) -> None:
    python, writer = interpreter(reader), interpreter("current")
    added = {"additional_special_tokens": ["<|im_start|>"], "model_input_names": None}
    candidate(tmp_path, GRPO, {"tokenizer_config.json": added})
    saved = real(writer, tmp_path, ask="save", run=GRPO)
    refused = real(python, tmp_path, ask="train", run=GRPO)
    assert "Tokenizer class TokenizersBackend does not exist" in refused["error"]
    assert errors(python, tmp_path) == {"tokenizer-saved-by-transformers-5"}
    assert errors(python, tmp_path, "--fix") == set()
    after = real(python, tmp_path, ask="train", run=GRPO)
    assert (after["error"], after["ids"]) == (None, saved["ids"])


@pytest.mark.slow
def test_a_resized_model_has_a_row_for_every_token(
    tmp_path: Path, interpreter: Interpreter, real: Real
) -> None:
    python, rule = interpreter("current"), "tokenizer-longer-than-embedding"
    spare = make.ROWS - make.tokenizer().get_vocab_size()
    names = tuple(f"<extra_{n}>" for n in range(spare + 1))
    candidate(tmp_path, GRPO, added=names)
    asked = {"ask": "train", "run": GRPO, "say": TURN, "prompts": [names[-1]] * 2}
    before = real(python, tmp_path, **asked)
    assert before["error"] == "IndexError: index out of range in self"
    ((found,), said) = findings(python, tmp_path)[rule], errors(python, tmp_path)
    assert said == {rule}
    assert found["fix"] is None
    assert "resize_token_embeddings(len(tokenizer), pad_to_multiple_of=64)" in found["remedy"]
    assert real(python, tmp_path, ask="resize", run=GRPO) == {"error": None}
    assert real(python, tmp_path, **asked)["error"] is None
    assert errors(python, tmp_path) == set()


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
    told: dict[str, Any] = {"model_input_names": ["input_ids", "attention_mask"]}
    if added:
        told |= make.tokenizer_config(tokenizer)
    changes = {**(files or {})}
    changes["tokenizer_config.json"] = told | {**changes.get("tokenizer_config.json", {})}
    for name, keys in changes.items():
        path = folder / "model" / name
        content = {**json.loads(path.read_text()), **keys}
        left = {key: one for key, one in content.items() if key not in keys or one is not None}
        path.write_text(json.dumps(left, indent=2))


def findings(python: Path, folder: Path, *flags: str) -> dict[str, list[dict[str, Any]]]:
    """What the doctor finds in the run for the target interpreter, by rule."""
    command = [sys.executable, "-m", "trl_doctor", "check", str(folder / "run.json")]
    command += ["--python", str(python), "--format", "json", "--offline", *flags]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode in (0, 1), done.stderr
    (target,) = json.loads(done.stdout)["targets"]
    return {check["rule"]: check["findings"] for check in target["checks"]}


def errors(python: Path, folder: Path, *flags: str) -> set[str]:
    """The rules that found an error."""
    found = findings(python, folder, *flags)
    return {rule for rule in found for one in found[rule] if one["severity"] == "error"}


def clipped(answer: Mapping[str, Any]) -> float | None:
    """The share of completions that GRPO logs as cut at the limit."""
    ratio: float | None = answer["log"][0].get("completions/clipped_ratio")
    return ratio


def generated(circle: Circle) -> set[int]:
    """The widths that the mended run generates; DPO generates nothing."""
    return set() if circle.run["trainer"] == "dpo" else {circle.widths}
