"""Rows with two bos tokens, and without the one that the tokenizer adds, as the model gets them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from commands import checks, ran
from laid import Interpreter
from run_with_rows import GROUPS, Rows, laid, prompts, texts

BOS = "<|endoftext|>"
SHOWN = """\
import runpy, sys
from transformers import GenerationMixin, Trainer
generate, batch_of = GenerationMixin.generate, Trainer._prepare_inputs
def shown(ids):
    print("BEGINS", [int(id) for id in ids[:2]])
def prompt(self, ids=None, **more):
    shown((more["input_ids"] if ids is None else ids)[0])
    return generate(self, **({} if ids is None else {"inputs": ids}), **more)
def row(self, batch):
    if "input_ids" in batch:
        shown(batch["input_ids"][0])
    return batch_of(self, batch)
GenerationMixin.generate, Trainer._prepare_inputs = prompt, row
trainer, sys.argv = sys.argv[1], ["run", "--config", sys.argv[2]]
runpy.run_module(f"trl.scripts.{trainer}", run_name="__main__")
"""
TALK: Rows = [{"messages": [{"role": "user", "content": "Why?"},
                            {"role": "assistant", "content": "So."}]}] * 4  # fmt: skip
TWICE, LACK = "step-rows-begin-with-bos-twice", "step-rows-lack-bos"
CASES = {
    "texts": ("current", "sft", texts(), 2, TWICE),
    "prompts": ("current", "grpo", prompts(), 2, TWICE),
    "prompts without": ("four", "grpo", prompts(), 0, LACK),
    "conversations": ("grpo-first", "sft", TALK, 2, TWICE),
}
"""The environment, the trainer, the rows, how often the model gets the bos, and the rule."""


def with_bos(rows: Rows) -> Rows:
    """The same rows, with the bos token at the beginning of their texts."""
    return [
        {name: BOS + value if name in ("text", "prompt") else value for name, value in row.items()}
        for row in rows
    ]


def adds_bos(model: Path, template: bool) -> int:
    """Lets the tokenizer put the bos before each text, and its template too; the token's id."""
    file, config = model / "tokenizer.json", model / "tokenizer_config.json"
    whole = json.loads(file.read_text())
    id: int = next(token["id"] for token in whole["added_tokens"] if token["content"] == BOS)
    special = {"SpecialToken": {"id": BOS, "type_id": 0}}
    whole["post_processor"] = {
        "type": "TemplateProcessing",
        "single": [special, {"Sequence": {"id": "A", "type_id": 0}}],
        "pair": [special, {"Sequence": {"id": "A", "type_id": 0}},
                 {"Sequence": {"id": "B", "type_id": 0}}],
        "special_tokens": {BOS: {"id": BOS, "ids": [id], "tokens": [BOS]}},
    }  # fmt: skip
    file.write_text(json.dumps(whole))
    options = {**json.loads(config.read_text()), "bos_token": BOS}
    if template:
        options["chat_template"] = "{{ bos_token }}" + options["chat_template"]
    config.write_text(json.dumps(options))
    return id


def begins(python: Path, file: Path, trainer: str) -> Sequence[int]:
    """The first two ids of a row as the model gets it from TRL's own script."""
    process = ran(python, "-c", SHOWN, trainer, file.name, cwd=file.parent)
    assert process.returncode == 0, process.stderr[-2000:]
    lines = [line for line in process.stdout.splitlines() if line.startswith("BEGINS")]
    ids: list[int] = json.loads(lines[0].removeprefix("BEGINS "))
    return ids


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [pytest.param(case, marks=pytest.mark.environment(CASES[case][0])) for case in CASES],
)
def test_the_bos_is_counted(name: str, tmp_path: Path, interpreter: Interpreter) -> None:
    environment, trainer, rows, count, rule = CASES[name]
    python, run = interpreter(environment), dict[str, Any](GROUPS if trainer == "grpo" else {})
    flags, talks = ("--trainer", trainer, "--select", rule), rows is TALK
    file = tmp_path / "job/run.yaml"

    def given(rows: Rows) -> list[bool]:
        """Whether the first two tokens of a row are the bos."""
        file = laid(tmp_path / "job", run, rows)
        bos = adds_bos(file.parent / "model", template=talks)
        return [id == bos for id in begins(python, file, trainer)]

    assert given(with_bos(rows) if count else rows) == [count > 0, count > 1]
    (finding,) = checks(file, python, *flags)[rule]["findings"]
    assert (BOS in finding["message"], finding["severity"]) == (True, "warning")
    if not talks:
        assert given(rows if count else with_bos(rows)) == [True, False]
        assert checks(file, python, *flags)[rule]["state"] == "clear"
