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
