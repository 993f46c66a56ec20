"""Run files whose keys a script beside them declares in a class of its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from trl_doctor.commands.cli import main

OWN = """
from dataclasses import dataclass
from trl import GRPOConfig, TrlParser

@dataclass
class Own:
    {key}: int = 1
    penalty_kind: str = "a"

print(TrlParser((Own, GRPOConfig)).parse_args_and_config())
"""
KNOWN = "num_generations: 8\nbeta: 0.1\nmax_steps: 5\n"
WITH = ("--level", "files", "--with", "trl==1.16.0", "--with", "transformers==5.23.0")


def report(folder: Path, key: str, run: str) -> str:
    (folder / "own.py").write_text(OWN.format(key=key))
    (folder / "grpo.yaml").write_text(run)
    command = ["check", str(folder / "grpo.yaml"), *WITH, "-o", "concise"]
    return CliRunner().invoke(main, command).output


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_key_of_the_scripts_own_is_no_mistake(tmp_path: Path) -> None:
    said = report(tmp_path, "depth", f"{KNOWN}penalty_kind: b\nlearning_rat: 1.0e-6\n")
    assert "penalty_kind" not in said and "did you mean learning_rate" in said


def test_a_file_that_a_script_reads_alone_is_not_judged(tmp_path: Path) -> None:
    said = report(tmp_path, "num_generations", "num_generations: 0\npenalty_kind: b\nbeta: 1\n")
    assert "own.py reads this file: 2 of 3 keys are fields of its own" in said
    assert "trl-doctor check own.py -- --config grpo.yaml" in said and "error" not in said


def test_a_script_without_a_parser_declares_nothing(tmp_path: Path) -> None:
    (tmp_path / "other.py").write_text(OWN.format(key="depth").replace("_and_config", ""))
    said = report(tmp_path, "depth", f"{KNOWN}kind_of_penalty: b\n")
    assert "TRL does not know this key: kind_of_penalty" in said
