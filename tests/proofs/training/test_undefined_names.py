"""A name that is misspelt behind the training ends the script when the training is over."""

from __future__ import annotations

import shutil
from pathlib import Path

from commands import checks, ran
from laid import ROOT, Interpreter

RULE = "script-name-not-defined"
SCRIPT = """\
from datasets import load_dataset
from trl import SFTConfig, SFTTrainer

output_dir = "out"


def main():
    arguments = SFTConfig(output_dir, max_steps=1, report_to="none", use_cpu=True, bf16=False)
    rows = load_dataset("json", data_files="rows.jsonl", split="train")
    trainer = SFTTrainer(model="model", args=arguments, train_dataset=rows)
    trainer.train()
    print("trained")
    trainer.save_model(NAME)


if __name__ == "__main__":
    main()
"""


def test_the_script_fails_when_it_has_trained(tmp_path: Path, interpreter: Interpreter) -> None:
    python = interpreter("current")
    shutil.copytree(ROOT / "fixtures/models/healthy", tmp_path / "model")
    (tmp_path / "rows.jsonl").write_text('{"text": "The sea was calm."}\n' * 4)
    script = tmp_path / "train.py"
    script.write_text(SCRIPT.replace("NAME", "output_dri"))
    (finding,) = checks(script, python, "--level", "files")[RULE]["findings"]
    assert (finding["severity"], finding["line"]) == ("error", 13)
    assert finding["remedy"] == "write output_dir, if you mean that"
    process = ran(python, "train.py", cwd=tmp_path)
    assert process.returncode
    assert "trained" in process.stdout
    assert "NameError: name 'output_dri' is not defined" in process.stderr
    script.write_text(SCRIPT.replace("NAME", "output_dir"))
    assert not checks(script, python, "--level", "files")[RULE]["findings"]
    assert not ran(python, "train.py", cwd=tmp_path).returncode
