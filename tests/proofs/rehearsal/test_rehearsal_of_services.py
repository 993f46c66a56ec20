"""Logins, uploads, passwords and checkpoints that are not here: prevented, or reported."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import ran
from laid import ROOT, Interpreter
from rehearsed import SFT
from rehearsing import findings_by_rule, measured, rehearsal

SERVICES = (
    "from getpass import getpass\n"
    "from huggingface_hub import HfApi, login, notebook_login, whoami\n"
    "login(token=getpass('token: '))\nnotebook_login()\n"
    "name = f\"{whoami()['name']}/counts\"\n"
    + SFT.replace("bf16=False,", "bf16=False, push_to_hub=True, hub_model_id=name,")
    + "trainer.push_to_hub()\nmodel.push_to_hub(name)\ntokenizer.push_to_hub(name)\n"
    "rows.push_to_hub(name)\nHfApi().upload_folder(folder_path='final', repo_id=name)\n"
)
RESUMED = SFT.replace("trainer.train()", "trainer.train(resume_from_checkpoint=True)")
TWICE = SFT.replace("bf16=False,", "bf16=False, use_cpu=True, max_steps=1, save_steps=1,")
STAGES = TWICE + (
    "args.max_steps = 2\nSFTTrainer(model=model, args=args, train_dataset=rows, "
    "processing_class=tokenizer).train(resume_from_checkpoint=True)\n"
)


def laid(folder: Path, script: str) -> Path:
    """The script, with the models that it names."""
    (folder / "models").symlink_to(ROOT / "fixtures/models")
    (folder / "train.py").write_text(script)
    return folder


@pytest.mark.slow
def test_services_are_kept_away(
    interpreter: Interpreter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HF_TOKEN", raising=False)
    monkeypatch.setenv("HF_HOME", str(tmp_path / "nobody"))
    python = interpreter("current")
    status, report = rehearsal(laid(tmp_path, SERVICES), python, "--offline", "train.py")
    assert (status, measured(report)["reached"]) == (0, "end"), findings_by_rule(report)
    text = " ".join(measured(report)["kept_away"])
    for words in ("a question for a password at", "a login at", "an upload user/counts"):
        assert words in text


@pytest.mark.slow
def test_a_missing_checkpoint_to_resume_from_is_reported(
    interpreter: Interpreter, tmp_path: Path
) -> None:
    python = interpreter("current")
    laid(tmp_path, RESUMED)
    process = ran(python, "train.py", cwd=tmp_path)
    assert "No valid checkpoint found in output directory" in process.stderr
    status, report = rehearsal(tmp_path, python, "train.py")
    (finding,) = findings_by_rule(report)["resume-checkpoint-unusable"]
    assert (status, finding["message"]) == (1, "there is no checkpoint-* in out")
    assert finding["line"] == RESUMED[: RESUMED.index("trainer.train(")].count("\n") + 1


@pytest.mark.slow
def test_a_later_stage_resumes_from_an_earlier_one(
    interpreter: Interpreter, tmp_path: Path
) -> None:
    python = interpreter("current")
    laid(tmp_path, STAGES)
    process = ran(python, "train.py", cwd=tmp_path)
    assert process.returncode == 0, process.stderr
    other = tmp_path / "other"
    other.mkdir()
    status, report = rehearsal(laid(other, STAGES), python, "train.py")
    assert (status, measured(report)["reached"]) == (0, "end"), findings_by_rule(report)
