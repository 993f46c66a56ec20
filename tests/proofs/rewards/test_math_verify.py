"""math_verify without its parser: TRL's command fails, and the doctor gives the remedy."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from commands import checks, ran
from laid import ROOT

Interpreter = Callable[[str], Path]
RUN = {
    "model_name_or_path": "model",
    "dataset_name": "data",
    "output_dir": "out",
    "use_cpu": True,
    "bf16": False,
    "max_steps": 1,
    "report_to": "none",
    "per_device_train_batch_size": 2,
    "num_generations": 2,
    "max_completion_length": 8,
}
OWN = "def score(completions, **_):\n    return [float(len(str(one))) for one in completions]\n"
PARSES = "from math_verify import parse, verify\n" + OWN
FAULTS = {
    "old": ("antlr4_python3_runtime-4.7.2.dist-info/METADATA",
            "Metadata-Version: 2.1\nName: antlr4-python3-runtime\nVersion: 4.7.2\n",
            "Unsupported ANTLR version 4.7.2"),
    "none": ("latex2sympy2_extended.py",
             "raise ModuleNotFoundError(\"No module named 'latex2sympy2_extended'\", "
             "name='latex2sympy2_extended')\n",
             "No module named 'latex2sympy2_extended'"),
}  # fmt: skip
FUNCTIONS = {"mine.score": PARSES, "accuracy_reward": "", "own.score": OWN}


@pytest.mark.slow
@pytest.mark.environment("four")
@pytest.mark.parametrize("fault", ["", *FAULTS])
def test_a_missing_parser_of_math_verify_is_reported(
    fault: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    python = interpreter("four")
    if not list(python.parents[1].glob("lib/*/site-packages/math_verify")):
        pytest.skip("math_verify is not there")
    path, error = laid_over(tmp_path / "over", fault) if fault else ("", "")
    more = {"PYTHONPATH": path} if fault else {}
    shutil.copytree(ROOT / "fixtures/models/healthy", tmp_path / "model")
    shutil.copytree(ROOT / "fixtures/data/prompts", tmp_path / "data")
    for function, source in FUNCTIONS.items():
        (tmp_path / f"{function.partition('.')[0]}.py").write_text(source)
        file = tmp_path / "run.json"
        file.write_text(json.dumps({**RUN, "reward_funcs": [function]}))
        words = ("-m", "trl.scripts.grpo", "--config", "run.json")
        process = ran(python, *words, cwd=tmp_path, **more)
        assert bool(process.returncode) == bool(fault) and error in process.stderr, process.stderr[
            -500:
        ]
        flags = ("--trainer", "grpo", "--level", "tiny")
        by_rule = {
            rule: finding
            for rule, check in checks(file, python, *flags, cwd=tmp_path, **more).items()
            for finding in check["findings"]
            if finding["severity"] == "error" and not finding["follows_from"]
        }
        named = "run-does-not-start" if function == "own.score" else "reward-not-importable"
        assert {*by_rule} == ({named} if fault else set()), by_rule
        assert all("math-verify[antlr4_13_2]" in finding["remedy"] for finding in by_rule.values())


def laid_over(folder: Path, fault: str) -> tuple[str, str]:
    """A folder for PYTHONPATH with this fault in it, and what the libraries then raise."""
    name, text, error = FAULTS[fault]
    (folder / name).parent.mkdir(parents=True)
    (folder / name).write_text(text)
    return str(folder), error
