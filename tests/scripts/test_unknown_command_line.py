"""A script whose command line was not given: one reason, and what to do next."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner

from trl_doctor.commands.cli import main

SCRIPT = """\
from trl import ModelConfig, SFTConfig, SFTTrainer, TrlParser
parser = TrlParser((SFTConfig, ModelConfig))
args, model = parser.parse_args_and_config()
SFTTrainer(model=model.model_name_or_path, args=args, train_dataset=rows).train()
"""
REASON = "the command line may set it: give it after -- (line 3)"
WITH = ("--level", "files", "--with", "trl==1.16.0", "--with", "transformers==5.23.0")


def checked(folder: Path, *options: str) -> str:
    """The report, its lines joined."""
    (folder / "train.py").write_text(SCRIPT)
    result = CliRunner().invoke(main, ["check", str(folder / "train.py"), *WITH, *options])
    return " ".join(result.output.split())


def test_the_reason_is_printed_once_for_all_arguments(tmp_path: Path) -> None:
    report = checked(tmp_path)
    assert f"{REASON} (" in report and "whether beta is set" not in report
    assert "not examined: " + REASON in report
    assert "whether max_steps is set is not known: " + REASON in checked(tmp_path, "--verbose")


def test_the_next_step_asks_for_the_command_line(tmp_path: Path) -> None:
    assert "train.py -- …` with the words of your job examines what they set" in checked(tmp_path)
    given = checked(tmp_path, "--", "--output_dir", "o", "--model_name_or_path", "m")
    assert "with the words of your job" not in given


def test_the_words_that_the_script_uses_in_place_of_none(tmp_path: Path) -> None:
    own = SCRIPT.replace(
        "config()", "config(sys.argv[1:] or ['--output_dir', 'o', '--learning_rate', '7'])"
    )
    (tmp_path / "train.py").write_text(f"import sys\n{own}")
    command = ["check", str(tmp_path / "train.py"), *WITH]
    assert "learning_rate is 7" in CliRunner().invoke(main, command).output
    given = (
        CliRunner()
        .invoke(main, [*command, "--", "--output_dir", "o", "--learning_rate", "8"])
        .output
    )
    assert "learning_rate is 7" not in given and "learning_rate is 8" in given


HEAD = "import argparse, sys, yaml\nfrom dataclasses import dataclass\nfrom trl import SFTTrainer\n"
LINE = "parser = argparse.ArgumentParser()\nparser.add_argument('--key', required=True)\n"
CHOSEN = {
    "an entry of a table": LINE
    + "MODELS = {'a': 'org/a', 'b': 'org/b'}\nSFTTrainer(MODELS[parser.parse_args().key])\n",
    "an object of a table": LINE
    + "@dataclass\nclass Spec:\n    name: str\n    rate: float = 1e-5\n"
    "MODELS = {'a': Spec('org/a'), 'b': Spec('org/b', 2e-5)}\n"
    "spec = Spec(**{**MODELS[parser.parse_args().key].__dict__, 'rate': 3e-5})\n"
    "SFTTrainer(spec.name)\n",
    "a file": "settings = yaml.safe_load(open(sys.argv[1]))\nSFTTrainer(settings['model'])\n",
}


def test_what_the_command_line_chooses(tmp_path: Path) -> None:
    for case, text in CHOSEN.items():
        (tmp_path / "run.py").write_text(HEAD + text)
        options = ["check", str(tmp_path / "run.py"), *WITH, "-o", "concise"]
        output = CliRunner().invoke(main, options).output
        assert "the model is not known: it comes from the command line (" in output, case
        assert "give it after --" in output, case
