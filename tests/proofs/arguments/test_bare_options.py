"""Options without a value: what the parsers refuse, and what the doctor says before."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import doctor, ran
from laid import Interpreter

RULE = "argument-lacks-value"
SCRIPT = """\
from transformers import HfArgumentParser
from trl import GRPOConfig, GRPOTrainer, TrlParser
parser = PARSER((GRPOConfig,))
(args,) = parser.METHOD()
print("parsed")
GRPOTrainer("org/m", args=args, reward_funcs=print)
"""
METHODS = {"TrlParser": "parse_args_and_config", "HfArgumentParser": "parse_args_into_dataclasses"}
OPTIONS = {
    "--bf16": "argument --bf16: expected one argument",
    "--tf32": "argument --tf32: expected one argument",
    "--learning_rate": "expected one argument",
    "--run-name": "expected one argument",
    "--fp16 false --use_vllm": "",
    "--bf16 true": "",
}


@pytest.mark.slow
@pytest.mark.parametrize("environment", ["current", "four"])
@pytest.mark.parametrize("parser", METHODS)
@pytest.mark.parametrize("options", OPTIONS)
def test_a_bare_option(
    options: str, parser: str, environment: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    python, says = interpreter(environment), OPTIONS[options]
    text = SCRIPT.replace("PARSER", parser).replace("METHOD", METHODS[parser])
    (tmp_path / "train.py").write_text(text)
    words = ["--output_dir", "out", "--use_cpu", *options.split(), "--max_steps", "1"]
    process = ran(python, "train.py", *words, cwd=tmp_path)
    assert says in " ".join(process.stderr.split()), process.stderr[-2000:]
    assert ("parsed" in process.stdout) == (not says), process.stderr[-2000:]

    flags = ("--level", "files", "--python", python, "--select", RULE, "-o", "concise")
    report = doctor("check", tmp_path / "train.py", *flags, "--", *words).stdout
    assert (RULE in report) == bool(says), report
