"""Files whose name only the job knows; variables from a file that a command prints."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from trl_doctor.commands.cli import main
from trl_doctor.files.launch.reading import read_launches

RUN = "model_name_or_path: ./m\noutput_dir: out/$SLURM_JOB_ID\nlearning_rate: 5.0\n"
SCRIPT = (
    "from trl import SFTConfig, SFTTrainer, TrlParser\n"
    "(args,) = TrlParser(SFTConfig).parse_args_and_config()\nSFTTrainer('./m', args=args)\n"
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def check(text: str) -> str:
    Path("job.sbatch").write_text(f"#!/bin/bash\n#SBATCH --nodes=1\n{text}")
    options = ("--with", "trl==1.16.0", "--with", "transformers==5.23.0", "--level", "files")
    output = CliRunner().invoke(main, ["check", "job.sbatch", *options, "-v"]).output
    return " ".join(output.split())


@pytest.mark.parametrize(
    "text",
    [
        f"cat > run_$SLURM_JOB_ID.yaml <<EOF\n{RUN}EOF\n"
        "trl sft --config run_${SLURM_JOB_ID}.yaml\n",
        f"C=$(mktemp)\ncat > \"$C\" <<EOF\n{RUN}EOF\nsrun trl sft --config=\"$C\"\n",
        f"cat <<EOF > $TMPDIR/r.yaml\n{RUN}EOF\ntrl sft --config $TMPDIR/r.yaml\n",
        f"cat <<'EOF' > $T/t.py\n{SCRIPT}EOF\ncat > $T/r.yaml <<EOF\n{RUN}EOF\n"
        "torchrun $T/t.py --config $T/r.yaml\n",
    ],
)  # fmt: skip
def test_a_file_whose_name_only_the_job_knows_is_examined(text: str) -> None:
    output = check(text)
    assert "learning_rate is 5" in output and "was not found" not in output
    assert "output_dir is not known: a variable gives it" in output


def test_another_file_whose_name_only_the_job_knows_is_not_known() -> None:
    output = check(f"cat > $A.yaml <<EOF\n{RUN}EOF\ntrl sft --config $B.yaml\n")
    assert "learning_rate is 5" not in output and "incomplete" in output


@pytest.mark.parametrize(
    "line",
    [
        "export $(cat .env | xargs)",
        "export $(grep -v '^#' .env | xargs -0)",
        'export $(cat .env | grep -v "#" | xargs)',
        "export `xargs < .env`",
        "set -a; source .env; set +a",
        "set -o allexport\n[ -f .env ] && . ./.env\nset +o allexport",
        "env $(cat .env | xargs) \\",
    ],
)
def test_variables_come_from_a_file_that_is_printed(line: str) -> None:
    Path(".env").write_text("# a comment\nRATE=5.0\n")
    Path("job.sh").write_text(f"{line}\npython train.py --rate $RATE\nX=1\npython last.py\n")
    first, last = read_launches(Path("job.sh"), Path("job.sh").read_bytes(), "a shell script")
    assert first.variables["RATE"] == "5.0" and "RATE" not in first.kept
    assert (first.words[1].text, "X" in last.kept) == ("5.0", True) or "env $" in line


@pytest.mark.parametrize("option", ["--config run_$SLURM_JOB_ID.yaml", "--config=$C"])
def test_the_option_that_names_such_a_file_is_no_unknown_key(option: str) -> None:
    heading = f"C=run_$SLURM_JOB_ID.yaml\ncat > run_$SLURM_JOB_ID.yaml <<EOF\n{RUN}EOF\n"
    assert "TRL does not know this key: config" not in check(f"{heading}srun trl sft {option}\n")


def test_one_reward_function_of_a_command_line_is_a_list() -> None:
    line = "trl grpo --model_name_or_path ./m --reward_funcs accuracy_reward --output_dir o\n"
    assert "must be a list" not in check(line)
