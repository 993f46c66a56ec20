"""A dictionary on the command line, with and without quotes around it: real bash and parsers."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from commands import checks
from laid import Interpreter

RULE = "argument-json-unquoted"
TRAIN = """\
import os
from trl import ModelConfig, SFTConfig, SFTTrainer, TrlParser

args, model = TrlParser((SFTConfig, ModelConfig)).parse_args_and_config()
print("READ", args.gradient_checkpointing_kwargs)
if "ONLY_PARSED" not in os.environ:
    SFTTrainer(model.model_name_or_path, args=args)
"""
LINE = "{} train.py --output_dir out --use_cpu --bf16 false {} {}\n"
OPTION = "--gradient_checkpointing_kwargs"
UNREAD = "Expecting property name enclosed in double quotes"


@pytest.mark.parametrize("environment", ["current", "four"])
@pytest.mark.parametrize(
    ("value", "is_read"),
    [('{"use_reentrant": false}', False), ("'{\"use_reentrant\": false}'", True)],
)
def test_the_quotes_around_a_dictionary(
    environment: str, value: str, is_read: bool, interpreter: Interpreter, tmp_path: Path
) -> None:
    python = interpreter(environment)
    (tmp_path / "train.py").write_text(TRAIN)
    job = tmp_path / "job.sh"
    job.write_text(LINE.format(python, OPTION, value))
    done = subprocess.run(
        ["bash", job], cwd=tmp_path, env={**os.environ, "ONLY_PARSED": "1"},
        capture_output=True, text=True, timeout=200,
    )  # fmt: skip
    assert ("READ {'use_reentrant': False}" in done.stdout) == is_read, done.stderr[-2000:]
    assert (UNREAD in done.stderr) == (not is_read)
    flags = ("--level", "files", "--select", RULE)
    found = checks(job, python, *flags, statuses=(0, 1, 3))
    assert len(found[RULE]["findings"]) == (not is_read)
