"""Files, folders and functions that a run names and that are not there: found without libraries."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from commands import checks, died, ran
from laid import Interpreter
from run_with_rows import GROUPS, laid, prompts, texts

CASES: dict[str, tuple[str, dict[str, Any], str, str, str]] = {
    "argument-names-no-file": (
        "sft", {"chat_template_path": "nope.jinja"}, "OSError",
        "no file or model folder nope.jinja", "",
    ),
    "data-not-found": ("sft", {"dataset_name": "daata"}, "daata", "did you mean data?", "data"),
    "reward-not-found": (
        "grpo", {**GROUPS, "reward_funcs": ["mine.nope"]}, "has no attribute 'nope'",
        "mine.nope: mine.py has no nope", "",
    ),
    "reward-raises": (
        "grpo", {**GROUPS, "reward_funcs": ["mine.wants"]}, "missing 1 required positional",
        "wants needs \"gold\"", "",
    ),
}  # fmt: skip
WANTS = "\ndef wants(completions, gold, **_):\n    return [1.0 for _ in completions]\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("environment", "says"), [("current", "there is no checkpoint"), ("four", "ignore")]
)
def test_a_checkpoint_that_is_not_there_has_one_finding(
    environment: str, says: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    python = interpreter(environment)
    file = laid(tmp_path / "job", {"resume_from_checkpoint": "out/checkpoint-5"}, texts())
    error = died(python, file.parent, "sft")
    assert ("Can't find a valid checkpoint" in error) is (environment == "current")
    outcomes = checks(file, python, "--trainer", "sft", "--level", "files")
    (finding,) = [finding for check in outcomes.values() for finding in check["findings"]]
    assert finding in outcomes["resume-checkpoint-unusable"]["findings"]
    assert finding["severity"] == "error" and says in finding["message"]


@pytest.mark.slow
@pytest.mark.parametrize("environment", ("current", "four"))
@pytest.mark.parametrize("rule", CASES)
def test_what_is_named_and_not_there(
    rule: str, environment: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    python = interpreter(environment)
    trainer, run, dies, says, near = CASES[rule]
    file = laid(tmp_path / "job", run, texts() if trainer == "sft" else prompts())
    with (file.parent / "mine.py").open("a") as out:
        out.write(WANTS)
    assert dies in died(python, file.parent, trainer)
    flags = ("--trainer", trainer, "--select", rule, "--level", "files")
    (finding,) = checks(file, python, *flags)[rule]["findings"]
    assert says in finding["message"]
    if near:
        checks(file, python, *flags, "--fix", "--unsafe-fixes", statuses=(0, 1, 3))
        assert died(python, file.parent, trainer) == ""


@pytest.mark.slow
def test_a_file_of_deepspeed_beside_the_run_is_found(
    tmp_path: Path, interpreter: Interpreter
) -> None:
    """The probe works in another folder, and the config class opens the file itself."""
    rule, file = "argument-refused-by-trl", laid(tmp_path / "job", {"deepspeed": ZERO}, texts())
    path = file.parent / ZERO
    path.parent.mkdir()
    path.write_text('{"zero_optimization": {"stage": 2}}')
    python = interpreter("cluster")
    for broken in (False, True):
        if broken:
            path.unlink()
        (outcome,) = [checks(file, python, "--trainer", "sft", "--select", rule)[rule]]
        assert bool(outcome["findings"]) is broken
        assert outcome["state"] == ("found" if broken else "clear")


ZERO = "settings/zero2.json"
LOADS = """\
import datasets
from trl import SFTConfig, SFTTrainer

rows = {call}
trainer = SFTTrainer(
    model="model",
    args=SFTConfig(output_dir="out", max_steps=1, report_to="none", use_cpu=True, bf16=False),
    train_dataset=rows,
)
print("rows:", len(rows))
"""
CALLS = {
    'datasets.load_dataset("json", data_files="trian.jsonl", split="train")': "FileNotFoundError",
    'datasets.Dataset.from_json("trian.jsonl")': "FileNotFoundError",
    'datasets.load_from_disk("trian.jsonl")': "FileNotFoundError",
}


@pytest.mark.slow
@pytest.mark.parametrize("environment", ("current", "grpo-silent"))
@pytest.mark.parametrize("call", CALLS)
def test_a_file_of_rows_that_a_script_loads_and_that_is_not_there(
    call: str, environment: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    python = interpreter(environment)
    laid(tmp_path, {}, texts(), "jsonl")
    script = tmp_path / "train.py"
    script.write_text(LOADS.format(call=call))
    done = ran(python, "train.py", cwd=tmp_path)
    assert CALLS[call] in done.stderr and "trian" in done.stderr
    flags = ("--select", "data-file-not-found", "--level", "files")
    (finding,) = checks(script, python, *flags)["data-file-not-found"]["findings"]
    assert finding["message"] == "there is no trian.jsonl, which the run loads rows from"
    script.write_text(LOADS.format(call=call).replace("trian.jsonl", "data/train.jsonl"))
    assert checks(script, python, *flags)["data-file-not-found"]["findings"] == []
