"""Rows that teach nothing, or the wrong thing: what training does, and what the doctor reports."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from commands import answered, checks
from laid import ROOT, Interpreter

TRAIN = """
import json, sys
import torch, trl
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer

name, steps = sys.argv[1:]
tokenizer = AutoTokenizer.from_pretrained("model")
args = getattr(trl, name + "Config")(
    output_dir="out", max_steps=int(steps), per_device_train_batch_size=4, learning_rate=1e-3,
    use_cpu=True, bf16=False, report_to="none", logging_steps=1, save_strategy="no",
)
trainer = getattr(trl, name + "Trainer")(
    model=AutoModelForCausalLM.from_pretrained("model").float(), args=args,
    train_dataset=load_dataset("json", data_files="rows/train.jsonl", split="train"),
    processing_class=tokenizer,
)
trainer.train()
asked = tokenizer.apply_chat_template([{"role": "user", "content": "q3"}], tokenize=False,
                                      add_generation_prompt=True)
said = trainer.model.generate(**tokenizer(asked, return_tensors="pt"), max_new_tokens=1,
                              do_sample=False)[0, -1]
print(json.dumps({"log": trainer.state.log_history[:-1], "said": tokenizer.decode([said])}))
"""


def rows(kind: str, healthy: bool) -> list[dict[str, Any]]:
    """Sixteen rows of a kind."""
    if kind == "DPO":
        other = "b" if healthy else "a"
        return [{"prompt": f"q{n}", "chosen": f" a{n}", "rejected": f" {other}{n}"}
                for n in range(16)]  # fmt: skip
    if kind == "KTO":
        return [{"prompt": f"q{n}", "completion": f" word{n}", "label": not healthy or n % 2 == 0}
                for n in range(16)]  # fmt: skip
    text = "One, two." if healthy else ""
    return [{"messages": [{"role": "user", "content": f"q{n}"},
                          {"role": "assistant", "content": text}]} for n in range(16)]  # fmt: skip


RULES = {"DPO": "data-pairs-are-equal", "KTO": "data-labels-all-alike", "SFT": "data-answers-empty"}
STEPS = {"DPO": "3", "KTO": "30", "SFT": "60"}


def learns(kind: str, answer: dict[str, Any]) -> bool:
    """Whether a run learned what its rows say."""
    last = answer["log"][-1]
    if kind == "DPO":
        return float(last["grad_norm"]) > 1e-3
    if kind == "KTO":
        return float(last["loss"]) < 0.4
    return bool(answer["said"] != "<|im_end|>")


@pytest.mark.slow
@pytest.mark.parametrize("environment", ["four", "current"])
@pytest.mark.parametrize("kind", RULES)
def test_rows_that_teach_nothing(
    kind: str, environment: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    python = interpreter(environment)
    for healthy in (False, True):
        folder = tmp_path / str(healthy)
        shutil.copytree(ROOT / "fixtures/models/healthy", folder / "model")
        (folder / "rows").mkdir()
        given = "".join(json.dumps(row) + "\n" for row in rows(kind, healthy))
        (folder / "rows/train.jsonl").write_text(given)
        run = {"model_name_or_path": "model", "dataset_name": "rows", "output_dir": "out"}
        (folder / "run.json").write_text(json.dumps(run))
        answer = answered(python, ["-c", TRAIN], kind, STEPS[kind], cwd=folder, noisy=True)
        assert learns(kind, answer) == healthy, answer
        outcomes = checks(
            folder / "run.json", python, "--trainer", kind.lower(), "--level", "files"
        )[RULES[kind]]
        assert bool(outcomes["findings"]) != healthy, outcomes
        assert outcomes["state"] in ("found", "clear"), outcomes
