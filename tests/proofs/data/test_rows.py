"""Rows of which the job dies are reported before; the same run passes after the remedy."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from commands import checks, died
from laid import Interpreter
from run_with_rows import GROUPS, Rows, laid, prompts, texts

QA = [{"question": "Why?", "answer": "So."}]
CASES: dict[str, tuple[str, dict[str, Any], str, Rows, str, Rows, str, str]] = {
    "a null that a trainer prepares": (
        "sft", {}, "jsonl", texts(81), "'NoneType' object has no attribute 'endswith'",
        texts(), "data-row-refused", "cannot prepare row 81 of data: AttributeError: 'NoneType'",
    ),
    "a null that a template meets": (
        "grpo", {**GROUPS, "max_steps": 8}, "jsonl", prompts(7), "text input must be of type",
        prompts(), "data-row-refused", "cannot prepare row 7 of data: ValueError: text input",
    ),
    "a null that a reward function meets": (
        "grpo", {**GROUPS, "max_steps": 8}, "jsonl", prompts(7, "answer"), "attribute 'strip'",
        prompts(), "reward-raises", "mine.score raises",
    ),
    "a table with other columns": (
        "sft", {}, "csv", QA, "KeyError: 'text'",
        texts(), "data-lacks-columns", "`trl sft` cannot use data: its columns are question",
    ),
    "fewer rows than a batch": (
        "sft", {"max_steps": -1, "dataloader_drop_last": True}, "jsonl", texts()[:4],
        "dataloader does not have a length",
        texts()[:8], "run-takes-no-step", "the 4 rows of the data set are too few for "
            "a training step",
    ),
    "fewer rows than a batch of the evaluation": (
        "sft", {"dataloader_drop_last": True, "per_device_train_batch_size": 4,
                "dataset_test_split": "train", "load_best_model_at_end": True,
                "eval_strategy": "steps", "eval_steps": 1, "save_steps": 1},
        "jsonl", texts()[:4], "set to 'eval_loss', which is not found",
        texts()[:8], "evaluation-has-no-batch", "dataloader_drop_last drops all 4 evaluation rows",
    ),
    "fewer completions than a batch of the evaluation": (
        "grpo", {**GROUPS, "dataloader_drop_last": True, "dataset_test_split": "train",
                 "load_best_model_at_end": True, "eval_strategy": "steps", "eval_steps": 1,
                 "save_steps": 1},
        "jsonl", prompts()[:3], "set to 'eval_loss', which is not found",
        prompts()[:4], "evaluation-has-no-batch", "drops all 6 evaluation completions",
    ),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("environment", ("current", "four"))
@pytest.mark.parametrize("name", CASES)
def test_rows_that_kill_the_job_are_found_before_it(
    name: str, environment: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    python = interpreter(environment)
    trainer, run, kind, bad, dies, good, rule, says = CASES[name]
    folder = tmp_path / "job"
    file = laid(folder, run, bad, kind)
    assert dies in died(python, folder, trainer)
    findings = checks(file, python, "--trainer", trainer, "--select", rule)[rule]["findings"]
    assert [says in finding["message"] for finding in findings] == [True], findings
    file = laid(folder, run, good, kind)
    assert died(python, folder, trainer) == ""
    flags = ("--trainer", trainer, "--select", rule)
    assert checks(file, python, *flags, statuses=(0, 3))[rule]["findings"] == []


@pytest.mark.slow
@pytest.mark.environment("four")
def test_a_generation_config_that_is_not_saved(tmp_path: Path, interpreter: Interpreter) -> None:
    python = interpreter("four")
    rules = ("generation-config-not-saved", "model-not-saved")
    file = laid(tmp_path / "job", {}, texts())
    config_file = file.parent / "model/generation_config.json"
    config_file.write_text(json.dumps({**json.loads(config_file.read_text()), "temperature": 0.6}))
    assert "GenerationConfig is invalid" in died(python, file.parent, "sft")
    flags = ("--trainer", "sft", *(part for rule in rules for part in ("--select", rule)))
    outcomes = checks(file, python, *flags, "--fix", "--unsafe-fixes", statuses=(0, 1, 3))
    assert [len(outcomes[rule]["findings"]) for rule in rules] in ([1, 1], [0, 0])
    assert json.loads(config_file.read_text())["do_sample"] is True
    assert died(python, file.parent, "sft") == ""


@pytest.mark.slow
@pytest.mark.parametrize("environment", ("grpo-first", "four"))
def test_pairs_without_a_prompt(environment: str, tmp_path: Path, interpreter: Interpreter) -> None:
    python, rule = interpreter(environment), "data-pairs-have-no-prompt"
    flags = ("--trainer", "dpo", "--level", "files", "--select", rule)
    row = {"chosen": "One two.", "rejected": "Three."}
    file = laid(tmp_path / "job", {}, [row] * 4)
    assert "torch.FloatTensor instead" in died(python, file.parent, "dpo")
    (finding,) = checks(file, python, *flags)[rule]["findings"]
    assert "in 4 of the first 4 rows" in finding["message"]
    file = laid(tmp_path / "job", {}, [{"prompt": "Why?", **row}] * 4)
    assert died(python, file.parent, "dpo") == ""
    assert checks(file, python, *flags, statuses=(0, 3))[rule]["state"] == "clear"


@pytest.mark.slow
def test_pairs_that_begin_differently(tmp_path: Path, interpreter: Interpreter) -> None:
    python, rule = interpreter("current"), "data-pairs-begin-differently"
    flags = ("--trainer", "dpo", "--level", "files", "--select", rule)
    question = [{"role": "user", "content": "What is six and two?"}]
    with_system = [{"role": "system", "content": "Be short."}, *question]
    chosen, rejected = ([{"role": "assistant", "content": text}] for text in ("Eight.", "No idea."))
    apart = {"chosen": [*with_system, *chosen], "rejected": [*question, *rejected]}
    file = laid(tmp_path / "job", {}, [apart] * 4)
    error = died(python, file.parent, "dpo")  # which one depends on the order of a set of columns
    assert "to an empty conversation" in error or "IndexError: list index out of range" in error
    (finding,) = checks(file, python, *flags)[rule]["findings"]
    assert "the prompt is empty, and the trainer fails" in finding["message"]
    file = laid(tmp_path / "job", {}, [{**apart, "rejected": [*with_system, *rejected]}] * 4)
    assert died(python, file.parent, "dpo") == ""
    assert checks(file, python, *flags, statuses=(0, 3))[rule]["state"] == "clear"
