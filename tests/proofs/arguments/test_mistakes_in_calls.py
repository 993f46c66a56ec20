"""Mistakes in calls of an ordinary script: what each does, and the rule that reports it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from commands import ran, reports
from laid import ROOT, Interpreter
from rehearsing import findings_by_rule, rehearsal
from reports.report import COMPLETIONS, PREFERENCES

CALLS = ROOT / "benchmarks/mutants/calls"
ROWS = {"SFT": COMPLETIONS, "DPO": PREFERENCES, "GRPO": ""}
LOADED = 'AutoModelForCausalLM.from_pretrained("model", dtype=torch.float32)'
REFERENCE = 'ref_model = AutoModelForCausalLM.from_pretrained("model")'
RETURNED = (
    "return [1.0 if each == [right] else 0.0 for each, right in zip(found, answer, strict=True)]"
)
AT_FILES = {
    "argument-loading-value-unknown": (
        "SFT", LOADED, LOADED[:-1] + ', quantization_config="4bit")', "quant_method"
    ),
    "adapter-saves-unknown-modules": (
        "SFT", "lora_dropout=0.0,", 'modules_to_save="lm_head",', "KeyError"
    ),
    "argument-of-other-kind": ("SFT", "trainer.train()", "trainer.train(model)", "TypeError"),
    "training-never-started": ("SFT", "trainer.train()", "trainer.train", ""),
    "reference-of-other-weights": (
        "DPO", REFERENCE, "ref_model = AutoModelForCausalLM.from_config(model.config)", ""
    ),
}  # fmt: skip
REHEARSED = {
    "reward-raises": (
        "GRPO", "reward_funcs=[correct, brief]", "reward_funcs=[correct, len]", "takes no keyword"
    ),
    "script-fails": ("SFT", 'split="train")', 'split="train").select(1000)', "not iterable"),
    "chat-template-is-no-template": (
        "DPO", 'from_pretrained("model")\nmodel', 'from_pretrained("model")\n'
        'tokenizer.chat_template = "chatml"\nmodel', ""
    ),
    "data-answers-of-other-role": (
        "DPO", '"role": "assistant", "content": row["chosen"]', '"role": "user", "content": '
        'row["chosen"]', ""
    ),
    "data-answers-repeat-prompt": (
        "DPO", "rows.map(as_turns)", 'rows.map(lambda row: {"chosen": row["prompt"] + '
        'row["chosen"]})', ""
    ),
    "data-role-unknown": ("GRPO", '"role": "system"', '"role": "sytem"', ""),
    "reward-prefers-garbage": (
        "GRPO", RETURNED, RETURNED.replace("1.0 if", "0.0 if").replace("else 0.0", "else 1.0"), ""
    ),
    "reward-pays-exploits": ("GRPO", RETURNED, RETURNED.replace("each == [right]", "each"), ""),
    "reward-of-first-row": (
        "GRPO", RETURNED, "return [1.0 if each == [answer[0]] else 0.0 for each in found]", ""
    ),
    "reward-constant": ("GRPO", '"answer": str(answer),', '"answer": f" {answer}",', ""),
}  # fmt: skip


def laid(folder: Path, trainer: str, before: str = "", after: str = "") -> Path:
    """The script of a trainer in a folder of its own, with a piece of it replaced."""
    folder.mkdir()
    for model, fixture in (("model", "healthy"), ("reward", "reward")):
        shutil.copytree(ROOT / "fixtures/models" / fixture, folder / model)
    (folder / "rows.jsonl").write_text(ROWS[trainer])
    text = (CALLS / f"{trainer}.py").read_text()
    assert before in text
    (folder / "train.py").write_text(text.replace(before, after) if before else text)
    return folder / "train.py"


@pytest.mark.environment("current")
def test_the_scripts_are_healthy(tmp_path: Path, interpreter: Interpreter) -> None:
    python = interpreter("current")
    for trainer in ROWS:
        script = laid(tmp_path / trainer, trainer)
        assert not ran(python, "train.py", cwd=script.parent).returncode
        (report,) = reports([script], python, "--level", "files")
        _, rehearsed = rehearsal(script.parent, python, "--offline", "train.py")
        of_both = {**findings_of(report), **findings_by_rule(rehearsed)}
        assert not of_both.keys() & {*AT_FILES, *REHEARSED}, trainer


@pytest.mark.environment("current")
@pytest.mark.parametrize("rule", AT_FILES)
def test_the_files_show_it(rule: str, tmp_path: Path, interpreter: Interpreter) -> None:
    trainer, before, after, error = AT_FILES[rule]
    script = laid(tmp_path / "case", trainer, before, after)
    python = interpreter("current")
    real = ran(python, "train.py", cwd=script.parent)
    assert (error in real.stderr) if error else not real.returncode, real.stderr[-2000:]
    (report,) = reports([script], python, "--level", "files", statuses=(0, 1, 3))
    assert rule in findings_of(report)


@pytest.mark.environment("current")
@pytest.mark.parametrize("rule", REHEARSED)
def test_a_rehearsal_shows_it(rule: str, tmp_path: Path, interpreter: Interpreter) -> None:
    trainer, before, after, error = REHEARSED[rule]
    script = laid(tmp_path / "case", trainer, before, after)
    python = interpreter("current")
    real = ran(python, "train.py", cwd=script.parent)
    assert (error in real.stderr) if error else not real.returncode, real.stderr[-2000:]
    _, report = rehearsal(script.parent, python, "--offline", "train.py")
    assert rule in findings_by_rule(report)


def findings_of(report: dict[str, object]) -> dict[str, object]:
    """The findings of a target by their rules."""
    checks = report["checks"]
    assert isinstance(checks, list)
    return {check["rule"]: check["findings"] for check in checks if check["findings"]}
