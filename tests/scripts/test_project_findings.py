"""Findings about scripts of whole projects: what hid them, and what was taken for a trainer."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner

from trl_doctor.commands.cli import main

LOADED = """\
from transformers import AutoModelForCausalLM
from trl import SFTTrainer
"""


def output(file: Path) -> str:
    command = ["check", str(file), "--level", "files", "--with", "trl==1.16.0", "-o", "concise"]
    return CliRunner().invoke(main, command).output


def test_a_patch_is_no_trainer(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(
        "from unsloth import PatchDPOTrainer\nfrom trl import DPOTrainer\nPatchDPOTrainer()\n"
        "DPOTrainer(model='org/m')\n"
    )
    assert "PatchDPOTrainer" not in output(script)
    assert "stage" not in output(script)


def test_an_unknown_option_hides_no_finding(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(
        f"{LOADED}model = AutoModelForCausalLM.from_pretrained('m', dtype=input())\n"
        "SFTTrainer(model=model, tokenizer=None)\n"
    )
    assert "does not accept tokenizer [--fix]" in output(script)


def test_programs_of_python_train_nothing(tmp_path: Path) -> None:
    script = tmp_path / "setup.sh"
    script.write_text(
        "python -m venv v\npython3 -m pip install trl\npython -m vllm.entrypoints.x\n"
    )
    assert "no line starts a training" in output(script)


OWN = """\
from trl import GRPOConfig, GRPOTrainer

class Mine(GRPOTrainer):
    def __init__(self, *args, rho=1.0, **kwargs):
        super().__init__(*args, **kwargs)
        self.rho = rho

class Again(Mine):
    def __init__(self, *args, size=4, **kwargs):
        super().__init__(*args, **kwargs)
        self.size = size

class Last(Again):
    pass

Last(model="org/m", reward_funcs=len, args=GRPOConfig(), rho=2.0, size=8{})
"""


def test_a_trainer_of_the_script_derives_from_another(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(OWN.format(""))
    assert "does not accept" not in output(script)
    script.write_text(OWN.format(", tokenizer=None"))
    assert "does not accept tokenizer" in output(script)


PARSED = """\
import argparse
from trl import GRPOConfig, GRPOTrainer
parser = argparse.ArgumentParser()
parser.add_argument("--max_prompt_length", type=int, default=8)
args = parser.parse_args()
config = GRPOConfig(output_dir="o", max_prompt_length=args.max_prompt_length)
GRPOTrainer(model="org/m", reward_funcs=len, args=config)
"""


def test_a_name_that_is_gone_is_in_the_script(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(PARSED)
    script = tmp_path / "job.sh"
    script.write_text("python train.py --max_prompt_length 16\n")
    assert "train.py:6:37: error argument-gone-from-trl" in output(script)
