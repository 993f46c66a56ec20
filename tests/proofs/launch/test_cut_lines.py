"""A launch line that ends early: the run trains with default values, and the place is found."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from commands import checks, ran
from laid import ROOT, Interpreter

SCRIPT = """\
from datasets import Dataset
from transformers import HfArgumentParser
from trl import SFTConfig, SFTTrainer

(args,) = HfArgumentParser(SFTConfig).parse_args_into_dataclasses()
rows = Dataset.from_list([{"text": "one two three four"}] * 4)
trainer = SFTTrainer("models/healthy", args=args, train_dataset=rows)
trainer.train()
print("TRAINED", trainer.state.max_steps, args.learning_rate)
"""
START = """\
#!/bin/bash
python train.py --output_dir out --bf16 false --save_strategy no --report_to none \\
"""
OPTIONS = """\
  --learning_rate 3e-6 \\
  --max_steps 1
"""
LATER = "  # --learning_rate 1e-6 \\\n"


def test_a_comment_ends_a_launch_line(interpreter: Interpreter, tmp_path: Path) -> None:
    python, job = interpreter("current"), tmp_path / "job.sh"
    (tmp_path / "models").symlink_to(ROOT / "fixtures/models")
    (tmp_path / "train.py").write_text(SCRIPT)
    job.write_text(START + LATER + OPTIONS)
    status, given = _started(job)
    died = ran(python, *given, cwd=tmp_path)
    assert status == 127 and "TRAINED 3 2e-05" in died.stdout, died.stderr[-500:]
    (finding,) = checks(job, python, "--level", "files")["launcher-line-cut"]["findings"]
    assert (finding["severity"], finding["line"]) == ("error", 4)

    job.write_text(LATER + START + OPTIONS)
    status, given = _started(job)
    assert status == 0 and "TRAINED 1 3e-06" in ran(python, *given, cwd=tmp_path).stdout
    assert checks(job, python, "--level", "files")["launcher-line-cut"]["state"] == "clear"


def _started(job: Path) -> tuple[int, list[str]]:
    """The status of the shell, and what it gives to `python`."""
    words, program = job.parent / "words", job.parent / "bin/python"
    program.parent.mkdir(exist_ok=True)
    program.write_text(f'#!/bin/bash\nprintf "%s\\n" "$@" > {words}\n')
    program.chmod(0o755)
    path = f"{program.parent}:{os.environ['PATH']}"
    status = subprocess.run(["bash", job], env={"PATH": path}, check=False).returncode
    return status, words.read_text().split()
