"""`trl-doctor rehearse` from its words to what it starts, without the libraries."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from trl_doctor.commands import own_options
from trl_doctor.commands.cli import main
from trl_doctor.core.finding import Cell
from trl_doctor.rehearsing.code_line import CodeLine
from trl_doctor.rehearsing.command.command import NoCommand, command

PYTHON = Path("/venv/bin/python")


@pytest.fixture(autouse=True)
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "train.py").write_text("print()\n")
    (tmp_path / "train.md.ipynb").write_text("{")
    monkeypatch.chdir(tmp_path)


def test_a_script_is_run_by_the_interpreter_with_its_arguments() -> None:
    named = command(["train.py", "--lr", "1"], PYTHON)
    assert named.arguments == (str(PYTHON), "train.py", "--lr", "1")
    assert named.script == "train.py"


def test_a_line_that_only_runs_a_script_needs_no_process_of_its_own() -> None:
    lines = {
        "python train.py --lr 1": True,
        "python -u train.py": False,
        "torchrun train.py": False,
    }
    for line, runs_it in lines.items():
        assert command(line.split(), PYTHON).runs_script(PYTHON) == runs_it, line


def test_files_are_found_from_the_copy_of_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside = command([str(tmp_path / "train.py"), "--x", ".."], PYTHON)
    assert inside.arguments == (str(PYTHON), "train.py", "--x", str(tmp_path / ".."))
    (tmp_path / "inner").mkdir()
    monkeypatch.chdir(tmp_path / "inner")
    outside = command(["torchrun", "../train.py", "../none"], PYTHON)
    assert outside.arguments[-2:] == (str(tmp_path / "inner/../train.py"), "../none")


def test_a_command_keeps_its_words_and_variables() -> None:
    given = ["A=1", "accelerate", "launch", "--config_file", "zero.yaml", "train.py"]
    named = command(given, PYTHON)
    assert named.arguments[-4:] == ("launch", "--config_file", "zero.yaml", "train.py")
    assert (dict(named.variables), named.script) == ({"A": "1"}, "train.py")
    assert named.launch is not None
    assert named.launch.accelerate == "zero.yaml"


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["train.py", "-o", "concise"], ["-o"]),
        (["train.py", "--python=/venv"], ["--python"]),
        (["train.py", "--lr", "1"], []),
        (["reads.py", "--processes", "2"], []),
        (["reads.py", "-o", "html=x.html"], ["-o"]),
        (["reads.py", "--", "-q", "-q"], ["-q"]),
        (["--", "torchrun", "train.py", "--offline"], []),
    ],
)
def test_an_option_behind_the_script_is_named(
    words: list[str], named: list[str], tmp_path: Path
) -> None:
    (tmp_path / "reads.py").write_text('parser.add_argument("--processes", "--out")\n')
    output = CliRunner().invoke(main, ["rehearse", *words]).stderr
    lines = [line for line in output.splitlines() if "before it" in line]
    assert [line.split()[3].rstrip(",") for line in lines] == named


SBATCH = """#!/bin/bash
#SBATCH --nodes=2
#SBATCH --gres=gpu:a100:4
export LR=1e-6
srun torchrun --nnodes $SLURM_NNODES --nproc_per_node=gpu train.py --lr $LR > log.txt 2>&1
"""


def test_a_launch_file_is_its_line(tmp_path: Path) -> None:
    (tmp_path / "job.sbatch").write_text(SBATCH)
    named = command(["job.sbatch", "--seed", "1"], PYTHON)
    assert named.arguments[1:] == (
        "-c", "from torch.distributed.run import main; main()", "--nnodes", "2",
        "--nproc_per_node=gpu", "train.py", "--lr", "1e-6", "--seed", "1",
    )  # fmt: skip
    assert (named.processes, named.script, named.variables["LR"]) == (8, "train.py", "1e-6")
    assert named.processes_from.endswith(", job.sbatch:5")


MEETING = """#!/bin/bash
#SBATCH --nodes=4
HEAD=$(scontrol show hostnames $SLURM_JOB_NODELIST | head -n 1)
srun {launcher} train.py --output_dir out/$SLURM_JOB_ID
"""


@pytest.mark.parametrize(
    ("launcher", "expected"),
    [
        ("torchrun --nnodes $SLURM_NNODES --node_rank=$SLURM_NODEID --nproc_per_node 8 "
         "--rdzv_id $RUN --rdzv_endpoint $HEAD:29500",
         ["--nnodes", "4", "--node_rank=0", "--nproc_per_node", "8"]),
        ("accelerate launch --num_processes 32 --machine_rank $RANK --main_process_ip $HEAD",
         ["launch", "--num_processes", "32"]),
    ],
)  # fmt: skip
def test_where_machines_meet_is_not_needed(
    launcher: str, expected: list[str], tmp_path: Path
) -> None:
    (tmp_path / "job.sbatch").write_text(MEETING.format(launcher=launcher))
    named = command(["job.sbatch"], PYTHON)
    assert list(named.arguments[-len(expected) - 3 :]) == [
        *expected,
        "train.py",
        "--output_dir",
        "out/1",
    ]
    assert named.processes == 32


def test_an_unknown_number_of_processes_is_an_error_with_a_remedy(tmp_path: Path) -> None:
    line = "torchrun --nnodes $WORLD --nproc_per_node 8 train.py\n"
    (tmp_path / "go.sh").write_text(line)
    with pytest.raises(NoCommand, match=r"the variable WORLD gives it: add --processes 2"):
        command(["go.sh"], PYTHON)
    named = command(["go.sh"], PYTHON, 2)
    assert (named.processes, named.arguments[-1]) == (2, "train.py")
    assert "WORLD" not in " ".join(named.arguments)


def test_a_launch_file_starts_with_the_variables_of_the_shell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "go.sh").write_text("B=of-the-file\npython train.py --a $A --b $B --c $C\n")
    monkeypatch.setenv("A", "of-the-shell")
    monkeypatch.setenv("B", "of-the-shell")
    named = command(["C=before-it", "go.sh"], PYTHON)
    assert named.arguments[-5::2] == ("of-the-shell", "of-the-file", "before-it")


@pytest.mark.parametrize(
    ("words", "starts"),
    [
        (["srun", "-n", "8", "accelerate", "launch", "train.py"], ["launch", "train.py"]),
        (["deepspeed", "--num_gpus", "4", "train.py", "--deepspeed", "z.json"],
         ["--nproc-per-node=4", "train.py", "--deepspeed", "z.json"]),
    ],
)  # fmt: skip
def test_a_clusters_launcher_is_replaced(words: list[str], starts: list[str]) -> None:
    assert list(command(words, PYTHON).arguments[-len(starts) :]) == starts


def test_the_lines_of_a_job_run_one_after_the_other(tmp_path: Path) -> None:
    job = "#SBATCH --gpus=1\nA=1 python train.py --lr 1\nsrun torchrun train.py && echo done\n"
    (tmp_path / "go.sh").write_text(job)
    named = command(["go.sh"], PYTHON)
    start, *lines = named.arguments[-1].splitlines()
    assert (named.arguments[:2], start) == (("/bin/sh", "-c"), "set -e")
    assert lines[0].startswith("env ")
    assert lines[0].endswith(f" A=1 {PYTHON} train.py --lr 1")
    assert lines[1].endswith("'from torch.distributed.run import main; main()' train.py")
    assert " A=1 " not in lines[1]
    assert [launch.line for launch in named.launches] == [2, 3]
    with pytest.raises(NoCommand, match="starts 2 trainings"):
        command(["go.sh", "--lr", "2"], PYTHON)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("echo hello\n", "no line starts a training"),
        (
            "if true\nthen trl sft --config a\nelse trl dpo --config b\nfi\n",
            "starts 2 trainings (lines 2, 3)",
        ),
        ("trl sft --config a &\ntrl dpo --config b\n", "starts 2 trainings (lines 1, 2)"),
        (
            "python train.py --model $MODEL\n",
            "line 1: an argument is not known, the variable MODEL gives it",
        ),
    ],
)
def test_a_launch_file_that_starts_nothing_has_a_remedy(
    text: str, says: str, tmp_path: Path
) -> None:
    (tmp_path / "go.sh").write_text(text)
    with pytest.raises(NoCommand) as refused:
        command(["go.sh"], PYTHON)
    assert says in str(refused.value)


@pytest.mark.parametrize(
    "words", [["none.py"], ["none.ipynb"], ["train.md.ipynb"], ["no-such-program"], ["A=1"]]
)
def test_what_cannot_be_rehearsed_is_refused(words: list[str]) -> None:
    with pytest.raises(NoCommand):
        command(words, PYTHON)


CELLS = ["import os\n!pip install trl\nx = !ls", "%%bash\nls\n", "", "y = 2\nz = y.upper()"]


def test_a_notebook_runs_as_a_script_in_its_folder(tmp_path: Path) -> None:
    cells = [{"cell_type": "markdown", "source": "# A model"}]
    cells += [{"cell_type": "code", "source": text} for text in CELLS]
    (tmp_path / "inner").mkdir()
    path = tmp_path / "inner" / "train.ipynb"
    path.write_text(json.dumps({"nbformat": 4, "cells": cells}, indent=1))
    named = command(["inner/train.ipynb", "--lr", "1"], PYTHON)
    assert named.arguments == (str(PYTHON), "train.ipynb.py", "--lr", "1")
    assert (named.folder, named.notebook) == (path.parent, named.notebook)
    assert named.notebook is not None
    lines = named.notebook.script.splitlines()
    compile(named.notebook.script, "train.ipynb.py", "exec")
    at = CodeLine(path, lines.index("z = y.upper()") + 1, named.notebook)
    assert at.shown == "train.ipynb, cell 4, line 2"
    assert at.text == "z = y.upper()"
    text = path.read_text().splitlines()
    assert "y = 2\\nz = y.upper()" in text[at.spot().line - 1]
    assert at.spot().cell == Cell(4, 2, 1)


def test_wrong_use_ends_with_2() -> None:
    result = CliRunner().invoke(main, ["rehearse", "none.py"])
    assert result.exit_code == 2


def test_an_interpreter_without_trl_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    result = CliRunner().invoke(main, ["rehearse", "train.py"])
    assert result.exit_code == 2
    assert "is not installed" in result.output


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("none.py", "^none.py: there is no such script"),
        ("accelerate launch --num_processes 2 none.py", "^none.py: there is no such script"),
        ("srun torchrun none.py --lr 1", "^none.py: there is no such script"),
        ("deepspeed none.py", "^none.py: there is no such script"),
        ("python -m torch.distributed.run none.py", "^none.py: there is no such script"),
        ("go.sh", "go.sh:2 starts none.py, which is not here$"),
        ("jobs/go.sh", "go.sh:1 starts own.py, which is not here; it is in .*/jobs/: rehearse"),
    ],
)
def test_a_script_that_is_not_here_starts_nothing(words: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "go.sh").write_text("python train.py\ntorchrun none.py\n")
    (tmp_path / "jobs").mkdir()
    (tmp_path / "jobs/go.sh").write_text("torchrun own.py\n")
    (tmp_path / "jobs/own.py").write_text("print()\n")
    with pytest.raises(NoCommand, match=says):
        command(words.split(), PYTHON)


@pytest.mark.parametrize(
    ("words", "starts"),
    [
        ("train.py -- --lr 1", "train.py --lr 1"),
        ("A=1 train.py -- -- x", "train.py -- x"),
        ("go.sh -- --lr 1", "main() train.py --lr 1"),
        ("torchrun train.py -- --lr 1", "main() train.py -- --lr 1"),
    ],
)
def test_two_hyphens_behind_the_script_are_not_its_own(
    words: str, starts: str, tmp_path: Path
) -> None:
    (tmp_path / "go.sh").write_text("torchrun train.py\n")
    assert " ".join(command(words.split(), PYTHON).arguments).endswith(starts)


@pytest.mark.parametrize(
    ("refusal", "named"),
    [
        ("it refuses: unrecognized arguments: --offline -o x.html", ["--offline"]),
        ("it refuses: unrecognized arguments: --lr 1", []),
        ("there is no model", []),
    ],
)
def test_an_option_that_the_script_has_refused_is_named(
    refusal: str, named: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "train.py").write_text("load(offline=True)\n")
    with click.Context(main.commands["rehearse"]):
        own_options.warn(["train.py", "--offline", "-o", "x.html"], refusal)
    lines = capsys.readouterr().err.splitlines()
    assert [line.split()[3].rstrip(",") for line in lines] == named


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ("train.py -q", ["-q"]),
        ("train.py --offline -o x.html", []),
        ("tr.sbatch -q --offline", ["-q"]),
        ("tr.sbatch:3 --quiet", ["--quiet"]),
        ("nb.ipynb -q", ["-q"]),
        ("nb.ipynb --lr 1", []),
    ],
)
def test_an_option_of_the_doctors_behind_the_script_is_named(
    words: str, named: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    source = "parser.add_argument('-o', '--offline')\n"
    Path("train.py").write_text(source)
    Path("tr.sbatch").write_text("#!/bin/bash\n#SBATCH -N 1\npython train.py\n")
    cell = {"cell_type": "code", "source": ["!pip install -q --quiet trl\n", "print(1)"]}
    Path("nb.ipynb").write_text(json.dumps({"cells": [cell]}, indent=1))
    with click.Context(main.commands["rehearse"]):
        own_options.warn(words.split(), started=source)
    lines = capsys.readouterr().err.splitlines()
    assert [line.split()[3].rstrip(",") for line in lines] == named
