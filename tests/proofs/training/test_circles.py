"""Candidates that the real library refuses, or trains wrongly, until the doctor repairs them."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import make
import pytest
from laid import (
    GRPO,
    LENGTH,
    NO_TURN_END,
    PPO,
    TURN,
    Interpreter,
    Real,
    candidate,
    errors,
    findings,
    run_of,
)

NO_PAD = {
    "tokenizer_config.json": {"pad_token": None},
    "config.json": {"pad_token_id": None},
    "generation_config.json": {"pad_token_id": None},
}
NO_VALUE = {**PPO, "value_model_name_or_path": None}
NEVER_STOPS = {key: value for key, value in PPO.items() if key != "stop_token"}
GROUPS_OF_8 = {**GRPO, "num_generations": 8, "gradient_accumulation_steps": 3}


@dataclass(frozen=True)
class Circle:
    """A candidate that is the healthy fixture but for `files`, where None takes a key out.

    `dies` is the library's error; "" where it raises none and generates to the limit, although
    the policy ends every answer at once. `widths` is what it generates once repaired.
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

    @property
    def marks(self) -> tuple[pytest.MarkDecorator, ...]:
        founding = self.environment == "ppo-last" and self.rule in (PAD, ENDLESS, MISSING)
        return (pytest.mark.founding,) if founding else ()


PAD, ENDLESS, MISSING = "tokenizer-pad-missing", "ppo-never-stops-at-eos", "ppo-model-missing"
ASKS = "ValueError: Asking to pad but the tokenizer does not have a padding token"
MODULES, PREFIX = "no attribute 'modules'", "no attribute 'base_model_prefix'"
TALKS_ON, UNSAFE = "chat-template-turn-end-is-not-eos", ("--unsafe-fixes",)
CIRCLES = (
    Circle(PAD, "grpo-first", GRPO, NO_PAD, ASKS),
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
@pytest.mark.parametrize(
    "circle", [pytest.param(circle, id=circle.name, marks=circle.marks) for circle in CIRCLES]
)
def test_the_repaired_candidate_trains(
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
    shutil.copytree(tmp_path / "broken", tmp_path / "repaired")
    assert errors(python, tmp_path / "repaired", "--fix", *circle.flags) == set()

    run = run_of(tmp_path / "repaired")
    after = real(python, tmp_path / "repaired", ask="train", run=run, say=TURN)
    assert (after["error"], set(after.get("generated", ()))) == (None, {circle.widths})
    if circle.rule == TALKS_ON:
        assert (clipped(before), clipped(after)) == (1.0, 0.0)
    assert errors(python, tmp_path / "repaired") == set()


@pytest.mark.environment("ppo-first")
@pytest.mark.slow
def test_nothing_stops_the_first_ppo(tmp_path: Path, interpreter: Interpreter, real: Real) -> None:
    """The doctor keeps its warning after the fix, and the library keeps generating."""
    python = interpreter("ppo-first")
    candidate(tmp_path, NEVER_STOPS)
    before = real(python, tmp_path, ask="train", run=NEVER_STOPS, say=TURN)
    assert (before["error"], set(before["generated"])) == (None, {LENGTH})
    assert errors(python, tmp_path) == {ENDLESS}
    assert errors(python, tmp_path, "--fix") == set()
    run = run_of(tmp_path)
    assert run["stop_token"] == "eos"
    after = real(python, tmp_path, ask="train", run=run, say=TURN)
    assert (after["error"], set(after["generated"])) == (None, {LENGTH})
    (left,) = findings(python, tmp_path)[ENDLESS]
    assert left["severity"] == "warning"
    assert f"generates all {LENGTH} tokens" in left["message"]


@pytest.mark.slow
@pytest.mark.parametrize("environment", ["grpo-first", "four"])
def test_transformers_4_reads_what_5_saved(
    environment: str, tmp_path: Path, interpreter: Interpreter, real: Real
) -> None:
    python, writer = interpreter(environment), interpreter("current")
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
    request = {"ask": "train", "run": GRPO, "say": TURN, "prompts": [names[-1]] * 2}
    before = real(python, tmp_path, **request)
    assert before["error"] == "IndexError: index out of range in self"
    ((finding,), rules) = findings(python, tmp_path)[rule], errors(python, tmp_path)
    assert rules == {rule}
    assert finding["fix"] is None
    assert "resize_token_embeddings(len(tokenizer), pad_to_multiple_of=64)" in finding["remedy"]
    assert real(python, tmp_path, ask="resize", run=GRPO) == {"error": None}
    assert real(python, tmp_path, **request)["error"] is None
    assert errors(python, tmp_path) == set()


def clipped(answer: Mapping[str, Any]) -> float | None:
    """The share of completions that GRPO logs as cut at the limit."""
    ratio: float | None = answer["log"][0].get("completions/clipped_ratio")
    return ratio
