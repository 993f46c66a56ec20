"""A trainer examined from inside its own program, at the same rules as everywhere."""

from __future__ import annotations

import sysconfig
from pathlib import Path
from typing import Any

import pytest
from commands import answered
from laid import ROOT, Interpreter

SCRIPT = Path(__file__).with_name("inside.py")


MISTAKES: dict[str, tuple[dict[str, Any], str]] = {
    "a healthy trainer": ({}, ""),
    "tokens that are not resized": ({"added": 40}, "tokenizer-longer-than-embedding"),
    "tokens that are": ({"added": 40, "resize": True}, ""),
    "a turn end that is no eos": (
        {"eos": "<|endoftext|>"}, "chat-template-turn-end-is-not-eos",
    ),
    "a rate too small for bf16": (
        {"dtype": "bfloat16", "learning_rate": 1e-7}, "weights-in-bf16-do-not-move",
    ),
    "the same in float32": ({"learning_rate": 1e-7}, ""),
}  # fmt: skip
"""What a script does to its objects, and the rule that says so."""


ROWS: dict[str, tuple[dict[str, Any], str, str]] = {
    "healthy rows": ({}, "", "it learns"),
    "weights that are all frozen": (
        {"frozen": True}, "step-gradients-missing", "no weight moves",
    ),
    "labels on padding": ({"padded": True}, "step-labels-on-padding", "it learns"),
    "a collator that refuses the rows": (
        {"collator": "refusing"}, "step-raises", "ValueError: expected sequence of length",
    ),
    "rows that are all cut": ({"max_length": 4}, "step-rows-lost", "ValueError: num_samples"),
}  # fmt: skip
"""What is wrong with a trainer that learns from rows, the rule, and how its real training ends."""


@pytest.mark.slow
def test_mistakes_in_memory_are_found_by_the_same_rules(
    interpreter: Interpreter, tmp_path: Path
) -> None:
    """All in one program, which then trains with the callback."""
    request = {
        "model": str(ROOT / "fixtures/models/healthy"),
        "trainers": {name: how for name, (how, _) in MISTAKES.items()},
        "rows": {name: how for name, (how, _, _) in ROWS.items()},
        "train": True,
    }
    answer: dict[str, Any] = answered(
        interpreter("current"), SCRIPT, sysconfig.get_paths()["purelib"],
        request=request, cwd=tmp_path, noisy=True,
    )  # fmt: skip
    for name, (_, rule) in MISTAKES.items():
        result = answer["trainers"][name]
        assert (name, result["raised"], result["crashed"]) == (name, [rule] if rule else [], False)
    for name, (_, rule, ending) in ROWS.items():
        result = answer["rows"][name]
        assert (name, result["found"]) == (name, [rule] if rule else [])
        assert result["passed"] == (not rule)
        assert result["ends"].startswith(ending), (name, result["ends"])
        assert result["same numbers"] and not result["crashed"]
    assert any("the same reward in three logs" in line for line in answer["told"])
    row = answer["cell"].partition("the first row, as SFTTrainer reads it: ")[2]
    lines = [line.split(maxsplit=1) for line in row.splitlines()[1:5]]
    assert lines == [
        ["reads", "<|im_start|>user↵"],
        ["Count.<|im_end|>↵"],
        ["<|im_start|>assistant↵"],
        ["learns", "One, two.<|im_end|>↵"],
    ]
