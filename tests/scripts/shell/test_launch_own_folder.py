"""Launch files that go to their own folder, and run files that are beside them."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from trl_doctor.commands.cli import main
from trl_doctor.files.launch import reading

BASH = shutil.which("bash")

PATHS = (
    '$(dirname "$0")/a', '$(dirname $0)/a', '"$(dirname "${BASH_SOURCE[0]}")/../b"',
    '"$(cd "$(dirname "$0")" && pwd)/a"', '$(cd $(dirname $0)/.. >/dev/null 2>&1; pwd -P)',
    '"$(realpath "$0")"', '"$(dirname "$(realpath "$0")")"', '"${0%/*}/a"',
    '"$(readlink -f "$(dirname "$0")/..")"',
)  # fmt: skip


@pytest.mark.skipif(BASH is None, reason="bash is not installed")
@pytest.mark.parametrize("path", PATHS)
def test_the_path_is_that_of_bash(path: str, tmp_path: Path) -> None:
    file = tmp_path / "jobs" / "a.sh"
    file.parent.mkdir()
    text = f'HERE={path}\npython train.py "$HERE"\n'
    file.write_text("python() { printf '%s' \"$2\"; }\n" + text)
    done = subprocess.run([str(BASH), str(file)], capture_output=True, text=True, check=True)
    (launch,) = reading.read_launches(file, text.encode(), "a shell script")
    assert os.path.normpath(launch.words[0].text) == os.path.normpath(done.stdout)


@pytest.mark.parametrize(
    "text", ['HERE=$(dirname "$1")', "HERE=$(cd .. && pwd)", "#SBATCH -N 1\nHERE=$(dirname $0)"]
)
def test_other_folders_are_not_known(text: str, tmp_path: Path) -> None:
    (launch,) = reading.read_launches(
        tmp_path / "a.sh", f"{text}\npython train.py $HERE\n".encode(), "a shell script"
    )
    assert launch.words[0].open


TRAIN = """\
import argparse
from trl import SFTConfig, SFTTrainer
from transformers import HfArgumentParser
parser = argparse.ArgumentParser()
parser.add_argument("--config", required=True)
(args,) = HfArgumentParser(SFTConfig).parse_yaml_file(parser.parse_args().config)
SFTTrainer(model="org/m", args=args).train()
"""


@pytest.mark.parametrize("before", ['cd "$(dirname "$0")"\n', ""])
def test_a_run_file_beside_the_launch_file(
    before: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "recipes").mkdir()
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "train.py").write_text(TRAIN)
    (tmp_path / "recipes" / "sft.yaml").write_text("output_dir: out\nlearning_rate: 7\n")
    (tmp_path / "recipes" / "run.sh").write_text(
        f"{before}python ../scripts/train.py --config sft.yaml\n"
    )
    monkeypatch.chdir(tmp_path)
    command = ["check", "recipes/run.sh", "--level", "files", "--with", "trl==1.16.0"]
    assert "learning_rate is 7" in CliRunner().invoke(main, command).output


def test_a_run_file_that_is_not_named_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "train.py").write_text(TRAIN.replace('model="org/m"', "model=args.run_name"))
    monkeypatch.chdir(tmp_path)
    command = ["check", "train.py", "--level", "files", "--with", "trl==1.16.0"]
    output = " ".join(CliRunner().invoke(main, command).output.split())
    assert "it may be in the run file, and it comes from the command line (--config)" in output
