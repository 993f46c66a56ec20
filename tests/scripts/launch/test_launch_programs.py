"""Python programs that start trainings as commands, and make no trainer themselves."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from trl_doctor.commands.cli import main
from trl_doctor.files.launch.in_python import in_python

WITH = ("--with", "trl==1.16.0", "--with", "transformers==5.23.0", "--level", "files")

STARTS = {
    "airflow": "BashOperator(task_id='t', bash_command='cd /x && python train.py --lr 2 {{ ds }}')",
    "a pod": "Pod(cmds=['python'], arguments=['train.py', '--lr', '2', f'{day()}'])",
    "nox": "session.run('python', 'train.py', '--lr', '2', *session.posargs)",
    "subprocess": "LR = 2\ncmd = [sys.executable, 'train.py', '--lr', str(LR)]\nrun(cmd + extra)",
    "a text": "LR = '2'\nos.system(f'python train.py --lr {LR} {name}')",
    "variables": "run('python train.py --lr $LR $X', env={**os.environ, 'LR': '2', 'X': x()})",
    "split": "run(shlex.split('''python train.py\n  --lr 2\n  $X'''))",
    "torchrun": "run(['torchrun', '--nproc_per_node=1', 'train.py', *['--lr', '2'], name])",
}


@pytest.mark.parametrize("name", STARTS)
def test_what_a_call_starts(name: str) -> None:
    (launch,) = in_python(STARTS[name])
    assert (launch.script, launch.processes) == ("train.py", 1)
    words = [None if word.open else word.text for word in launch.words]
    assert words == ["--lr", "2", None]


@pytest.mark.parametrize(
    "text",
    [
        '"""Run it: python train.py --lr 1"""\n',
        "print('python train.py --lr 1')\nparser.add_argument('-x', help='python train.py --lr 1')",
        "name = 'python train.py --lr 1'\n",
        "load('train.py')\nopen('python train.py')\n",
        "def f(cmd):\n    cmd = cmd + ['python', 'train.py']\n    run(cmd)\n",
        "a = b + ['python']\nb = a + ['train.py']\nrun(a)\n",
        "run(['train.py'\n",
        "run([])\nrun([1], b'python train.py x', None)\n",
        "image.add_local_file('./train.py', '/root/train.py')\nshutil.copy('train.py', 'old.py')\n",
    ],
)
def test_nothing_is_started(text: str) -> None:
    assert [launch for launch in in_python(text) if launch.words] == []


TRAIN = (
    "from trl import SFTConfig, SFTTrainer, TrlParser\n"
    "(args,) = TrlParser(SFTConfig).parse_args_and_config()\nSFTTrainer('org/m', args=args)\n"
)


def checked(folder: Path, text: str, *options: str) -> str:
    (folder / "train.py").write_text(TRAIN)
    (folder / "dag.py").write_text(text)
    return CliRunner().invoke(main, ["check", str(folder / "dag.py"), *WITH, *options]).output


def test_a_program_is_examined_and_repaired(tmp_path: Path) -> None:
    text = "session.run('python', 'train.py', '--output_dir=o', '--max_seq_length', '64')\n"
    said = checked(tmp_path, text)
    assert "a Python program that starts commands, line 1: train.py" in said
    assert "trl 1.16.0 has no max_seq_length" in said
    assert "dag.py:1:53" in said
    assert "+session.run('python', 'train.py', '--output_dir=o', '--max_length', '64')" in checked(
        tmp_path, text, "--diff"
    )


def test_the_next_step_names_the_command(tmp_path: Path) -> None:
    """The program itself is not rehearsed; nothing is proposed if a word is not known."""
    said = " ".join(checked(tmp_path, "run('python train.py --output_dir o --lr_x 1')").split())
    assert "trl-doctor rehearse dag.py" not in said
    said = checked(tmp_path, "run(f'python train.py --output_dir {name()}')")
    assert "line 1: train.py" in said
    assert "rehearse" not in said
    assert "\\x00" not in said


def test_a_program_whose_script_is_not_here(tmp_path: Path) -> None:
    said = checked(tmp_path, "run('python absent.py --x 1')")
    assert "incomplete" in said
    assert "it creates no trainer of TRL" in said


@pytest.mark.parametrize("line", ["(args,) = X", "args = X[0]", "args, = X"])
def test_a_parser_of_one_class_gives_a_tuple(line: str, tmp_path: Path) -> None:
    """What one class is parsed to is unpacked; its options are examined."""
    parse = line.replace("X", "TrlParser(SFTConfig).parse_args_and_config()")
    text = (
        f"from trl import SFTConfig, SFTTrainer, TrlParser\n{parse}\nSFTTrainer('m', args=args)\n"
    )
    path = tmp_path / "train.py"
    path.write_text(text)
    words = ("--", "--output_dir", "o", "--max_seq_length", "5")
    said = CliRunner().invoke(main, ["check", str(path), *WITH, *words]).output
    assert "trl 1.16.0 has no max_seq_length" in said
