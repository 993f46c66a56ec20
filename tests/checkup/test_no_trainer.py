"""What is said of a script that ends before it makes its trainer."""

from __future__ import annotations

from pathlib import Path

import pytest

from trl_doctor.checkup.scripts import parts
from trl_doctor.files.target import NotRead, Target
from trl_doctor.machine.environment import environment

WORLD = environment(None, ["trl==1.16.0", "transformers==5.23.0"], installed=False)
NEEDS = """
import argparse
from trl import SFTConfig, SFTTrainer
parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int)
args = parser.parse_args()
raise RuntimeError("give --steps")
SFTTrainer("org/m", args=SFTConfig("out", max_steps=args.steps))
"""
CAUGHT = """
from trl import SFTConfig, SFTTrainer
try:
    raise ImportError("x")
except ImportError:
    pass
exit()
SFTTrainer("org/m", args=SFTConfig("out"))
"""
OWN = """
from trl import SFTTrainer

class LegalTrainer:
    def train(self) -> SFTTrainer: ...

LegalTrainer().train()
"""
MESSAGES = {
    "a word is missing": (
        NEEDS,
        'SFTTrainer (line 8) is never reached: line 7 raises RuntimeError("give --steps"): give '
        "the command line after --",
    ),
    "an error that is caught": (CAUGHT, "SFTTrainer (line 8) is never reached"),
    "a class of the script's own": (OWN, "name the script that calls GRPOTrainer, SFTTrainer, …"),
}


@pytest.mark.parametrize("case", MESSAGES)
def test_why_it_creates_no_trainer(case: str, tmp_path: Path) -> None:
    text, message = MESSAGES[case]
    path = tmp_path / "train.py"
    path.write_text(text)
    with pytest.raises(NotRead) as refused:
        parts(Target(path.name, "script", path, "a Python script"), WORLD)
    assert str(refused.value) == f"train.py: it creates no trainer of TRL: {message}"
