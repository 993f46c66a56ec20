"""An option of a launch line that the script refuses: it fails, and is found at that line."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import checks, ran
from laid import ROOT, Interpreter
from rehearsed import SFT
from rehearsing import findings_by_rule, measured, rehearsal

BY_HAND = """\
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--learning_rate", type=float)
parser.add_argument("--optimizer", choices=["adamw_torch", "sgd"])
options = parser.parse_args()
"""
PARSED = """\
from trl import TrlParser
(args,) = TrlParser((SFTConfig,)).parse_args_into_dataclasses()
"""
OUT = "--output_dir out --bf16 False"
CASES = {
    "argparse": (BY_HAND, "--learning-rat 1e-5", "argument-refused-by-parser",
                 "--learning_rate 1e-5", "unrecognized arguments"),
    "choices": (BY_HAND, "--optimizer adam", "argument-refused-by-parser",
                "--optimizer sgd", "invalid choice"),
    "TrlParser": (PARSED, f"{OUT} --max_seq_length 64", "argument-gone-from-trl",
                  f"{OUT} --max_length 64", "not used by the HfArgumentParser"),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_an_option_that_the_script_refuses(
    name: str, interpreter: Interpreter, tmp_path: Path
) -> None:
    parsing, wrong, rule, right, says = CASES[name]
    python = interpreter("current")
    (tmp_path / "models").symlink_to(ROOT / "fixtures/models")
    head, _, rest = SFT.partition("args = SFTConfig(")
    body = rest.partition(")\n")[2] if name == "TrlParser" else f"args = SFTConfig({rest}"
    (tmp_path / "train.py").write_text(f"{head}{parsing}{body}")
    (tmp_path / "job.sbatch").write_text(_job(wrong))
    died = ran(python, "train.py", *wrong.split(), cwd=tmp_path)
    assert died.returncode and says in died.stderr

    (finding,) = checks(tmp_path / "job.sbatch", python, "--level", "files")[rule]["findings"]
    assert (Path(finding["file"]).name, finding["line"]) == ("job.sbatch", 4)
    status, report = rehearsal(tmp_path, python, "job.sbatch")
    (finding,) = findings_by_rule(report)[rule]
    assert (status, finding["file"], finding["line"]) == (1, "job.sbatch", 4), findings_by_rule(
        report
    )
    (tmp_path / "job.sbatch").write_text(_job(right))
    status, report = rehearsal(tmp_path, python, "job.sbatch")
    assert (status, measured(report)["reached"]) == (0, "end"), findings_by_rule(report)


def _job(options: str) -> str:
    return f"#!/bin/bash\n#SBATCH --nodes=1\npython train.py \\\n    {options}\n"
