"""Values of a Compose file: from `.env`, a default, or the environment, which is then named."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from trl_doctor.commands.cli import main

SCRIPT = (
    "import argparse\nfrom trl import SFTConfig, SFTTrainer\n"
    "parser = argparse.ArgumentParser()\nparser.add_argument('--rate', type=float)\n"
    "SFTTrainer('./m', args=SFTConfig(learning_rate=parser.parse_args().rate))\n"
)
COMMANDS = [
    '["python", "train.py", "--rate", "${RATE}"]',
    "python train.py --rate ${RATE:?say it}",
    "bash -c 'python train.py --rate $RATE'",
    ">\n      bash -c 'cd . &&\n      python train.py --rate ${RATE}'",
]


def check(command: str, more: str = "") -> str:
    Path("train.py").write_text(SCRIPT)
    Path("compose.yaml").write_text(f"services:\n  train:\n    command: {command}\n{more}")
    options = ("--with", "trl==1.16.0", "--with", "transformers==5.23.0", "--level", "files")
    output = CliRunner().invoke(main, ["check", "compose.yaml", *options]).output
    return " ".join(output.split())


@pytest.mark.parametrize("command", COMMANDS)
def test_who_must_give_a_value_that_nothing_sets(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    why = "learning_rate is not known: the environment or .env must give RATE"
    assert why in check(command)
    Path(".env").write_text("RATE=5.0\n")
    assert "learning_rate is 5" in check(command.replace(":?say it", ""))


def test_a_variable_of_the_container_is_no_variable_of_compose(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(".env").write_text("RATE=1e-6\n")
    own = "    environment: {RATE: '7.0'}\n"
    assert "learning_rate is 7" in check("bash -c 'python train.py --rate $$RATE'", own)
    assert "learning_rate is 7" not in check("bash -c 'python train.py --rate $RATE'", own)
