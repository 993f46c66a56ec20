"""`trl-doctor rehearse` on a launch file: its folder, its lines, its own files and arguments."""

from __future__ import annotations

from pathlib import Path

import pytest

from trl_doctor.probes.rehearsal.writes.mirror import surrounded
from trl_doctor.rehearsing.command.command import NoCommand, command

PYTHON = Path("/venv/bin/python")
MAKEFILE = "a:\n\tpython train.py --lr 1\nb:\n\ttorchrun \\\n\t  train.py\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "sub").mkdir()
    for name in ("train.py", "sub/other.py", "sub/train.py"):
        (tmp_path / name).write_text("print()\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


GOES = {
    "cd": "cd sub\npython other.py\n",
    "and": "cd sub && python other.py\n",
    "pushd": "pushd sub\npython other.py\n",
    "absolute": "cd {here}/sub\npython other.py\n",
    "variable": 'DIR="$PWD/sub"\ncd "$DIR"\npython other.py\n',
}


@pytest.mark.parametrize("text", GOES.values(), ids=GOES)
def test_the_folder_that_a_job_goes_to(here: Path, text: str) -> None:
    (here / "go.sh").write_text(text.replace("{here}", str(here)))
    named = command(["go.sh"], PYTHON)
    assert (named.folder, named.script) == (here / "sub", "sub/other.py")
    assert named.arguments == (str(PYTHON), "other.py")
    assert named.text == "print()\n"


STAYS = {
    "parentheses": "(cd sub && ls)\npython train.py\n",
    "elsewhere": "cd /nowhere/sub\npython train.py\n",
    "branch": 'if [ -n "$DEBUGGED" ]; then cd sub; fi\npython train.py\n',
    "unknown": 'cd "$(dirname "$0")"\npython train.py\n',
    "back": "cd sub\ncd ..\npython train.py\n",
}


@pytest.mark.parametrize("text", STAYS.values(), ids=STAYS)
def test_a_job_that_stays(here: Path, text: str) -> None:
    (here / "go.sh").write_text(text)
    assert command(["go.sh"], PYTHON).folder == here


def test_a_script_that_is_not_where_the_line_starts(here: Path) -> None:
    (here / "go.sh").write_text("cd sub\npython sub/train.py\n")
    with pytest.raises(NoCommand, match=r"go.sh:2 starts sub/train.py, which is not in sub, where"):
        command(["go.sh"], PYTHON)


def test_two_lines_in_two_folders(here: Path) -> None:
    (here / "go.sh").write_text("python train.py\ncd sub\npython other.py ../train.py\n")
    _, first, second = command(["go.sh"], PYTHON).arguments[-1].splitlines()
    assert first.endswith(f"{PYTHON} train.py") and first.startswith("env")
    assert second.startswith("(cd sub; env") and second.endswith(f"{PYTHON} other.py ../train.py)")


def test_the_copy_has_all_of_the_folder_above(here: Path, tmp_path: Path) -> None:
    copy = surrounded(here / "sub", tmp_path / "copy", here)
    assert copy == tmp_path / "copy/sub" and (copy / "../train.py").is_file()


def test_a_line_of_a_file_with_several(here: Path) -> None:
    (here / "Makefile").write_text(MAKEFILE)
    assert command(["Makefile:2"], PYTHON).arguments[1:] == ("train.py", "--lr", "1")
    for line in (4, 5):
        named = command([f"Makefile:{line}", "--lr", "2"], PYTHON)
        assert named.arguments[-3:] == ("train.py", "--lr", "2")
        assert named.launched_by == Path("Makefile")
    with pytest.raises(NoCommand, match=r"lines 2, 4\): name one by its line, Makefile:2"):
        command(["Makefile"], PYTHON)
    with pytest.raises(NoCommand, match="line 3 starts no training: lines 2, 4 do"):
        command(["Makefile:3"], PYTHON)


def test_arguments_that_the_file_passes_on(here: Path) -> None:
    (here / "go.sh").write_text('python train.py --lr 1 "$@"\n')
    assert command(["go.sh"], PYTHON).arguments[1:] == ("train.py", "--lr", "1")
    assert command(["go.sh", "--x"], PYTHON).arguments[1:] == ("train.py", "--lr", "1", "--x")


def test_a_module_below_its_path(here: Path) -> None:
    (here / "src/own").mkdir(parents=True)
    (here / "src/own/train.py").write_text("print()\n")
    (here / "go.sh").write_text('export PYTHONPATH="$PWD/src:$PYTHONPATH"\npython -m own.train\n')
    named = command(["go.sh"], PYTHON)
    assert named.arguments[1:] == ("-m", "own.train")
    assert named.variables["PYTHONPATH"].startswith("./src:")


def test_an_option_that_a_condition_decides(here: Path) -> None:
    text = "if nvidia-smi; then A=--x; else A=; fi\npython train.py $A\n"
    (here / "go.sh").write_text(text)
    says = "line 2: an argument is not known, a condition in line 1 decides it: copy the command"
    with pytest.raises(NoCommand, match=says):
        command(["go.sh"], PYTHON)


POD = """apiVersion: v1
kind: ConfigMap
metadata: {name: code}
data:
  own.py: |
    print(1)
---
apiVersion: batch/v1
kind: Job
spec: {template: {spec: {containers: [{command: [python, /code/own.py, --a, "1"]}]}}}
"""


def test_the_script_of_a_config_map(here: Path) -> None:
    (here / "job.yaml").write_text(POD)
    named = command(["job.yaml"], PYTHON)
    assert (named.arguments[1:], named.script) == (("own.py", "--a", "1"), "own.py")
    assert named.files["own.py"].strip() == "print(1)"


def test_a_script_of_gitlab_is_one_shell(here: Path) -> None:
    (here / ".gitlab-ci.yml").write_text("a:\n  script:\n  - cd sub\n  - python other.py\n")
    assert command([".gitlab-ci.yml"], PYTHON).folder == here / "sub"


def test_the_folder_of_a_job_of_github(here: Path) -> None:
    (here / ".github/workflows").mkdir(parents=True)
    text = ("on: push\njobs:\n  a:\n    defaults: {run: {working-directory: sub}}\n"
            "    steps:\n    - run: python other.py\n")  # fmt: skip
    (here / ".github/workflows/a.yml").write_text(text)
    assert command([".github/workflows/a.yml"], PYTHON).folder == here / "sub"
