"""Launch files that are right as they are: the files that they name, and the folders they go to."""

from __future__ import annotations

import pytest
from accused import SCRIPT, accused

ACCELERATE = "accelerate launch --config_file configs/acc.yaml train.py\n"
MAKING = "import pathlib\npathlib.Path('configs', 'acc.yaml').write_text('')\n"


@pytest.mark.parametrize(
    "before",
    [
        pytest.param("bash make.sh", id="a script that makes it"),
        pytest.param("python make.py --out configs", id="a program that makes it"),
        pytest.param("source make.sh", id="a script that is read"),
        pytest.param("aws s3 sync s3://own/configs configs", id="a folder of a bucket"),
        pytest.param("git clone https://own.org/recipes configs", id="a repository"),
        pytest.param("git pull", id="a newer version"),
        pytest.param("tar xf configs.tar", id="an archive"),
        pytest.param("make configs", id="a recipe"),
        pytest.param("hf download own/recipes --local-dir configs", id="the Hub"),
        pytest.param("echo a: 1 | tee configs/acc.yaml", id="a line that names it"),
        pytest.param("cd /scratch/me/project", id="a folder of another machine"),
        pytest.param("cd $PROJECT", id="a folder that is not known"),
    ],
)
def test_a_file_that_may_be_there_for_the_job(before: str) -> None:
    made = {"make.sh": "echo a > configs/acc.yaml\n", "make.py": MAKING}
    assert accused(f"#!/bin/bash\n{before}\n{ACCELERATE}", **made) == set()


@pytest.mark.parametrize(
    "before",
    ["docker pull own/image", "uv sync", "pip install -e .", "wget https://own.org/rows.json",
     "source /opt/conda/etc/profile.d/conda.sh", "# make configs", "bash other.sh",
     "cd $SLURM_SUBMIT_DIR"],
)  # fmt: skip
def test_what_brings_no_such_file_hides_nothing(before: str) -> None:
    found = accused(f"#!/bin/bash\n{before}\n{ACCELERATE}", **{"other.sh": "echo\n"})
    assert found == {"launcher-file-not-found"}


@pytest.mark.parametrize(
    "lines",
    [
        'ROOT=$(pwd)\ncd sub\npip install -e .\ncd "$ROOT"\npython sub/train.py',
        "ROOT=$PWD\ncd sub && make; cd $ROOT\npython sub/train.py",
        'for d in sub; do\n  cd "$d"\n  make\n  cd "$OLDPWD"\ndone\npython sub/train.py',
        'ROOT=$PWD\nfor d in sub; do\n  cd "$d"\n  make\n  cd "$ROOT"\ndone\npython sub/train.py',
        "(\n  cd sub\n  make\n)\npython sub/train.py",
        "V=$(cd sub && git rev-parse HEAD)\npython sub/train.py",
        "cd sub && ./serve.sh &\npython sub/train.py",
        "build() { cd sub; make; cd ..; }\nbuild\npython sub/train.py",
        "pushd sub > /dev/null\nmake\npopd > /dev/null\npython sub/train.py",
        "cd sub && make && cd .. || exit 1\npython sub/train.py",
        "cd sub\nuv run --directory .. python sub/train.py",
        "cd sub\nconda run --cwd=.. -n own python sub/train.py",
        'ssh host "cd sub && python sub/train.py"',
        "cd runs\npython -m sub.train",
        "cd runs\naccelerate launch -m sub.train",
    ],
)
def test_a_folder_that_has_the_script(lines: str) -> None:
    files = {"sub/train.py": SCRIPT, "sub/__init__.py": "", "runs/a": ""}
    assert accused(f"#!/bin/bash\n{lines}\n", **files) == set()


def test_a_runner_that_goes_to_a_folder_is_followed() -> None:
    line = "uv run --directory sub python sub/train.py\n"
    assert accused(line, **{"sub/train.py": SCRIPT}) == {"launcher-folder-lacks-script"}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("README.md", "Run `mkdir -p logs` once.\n"),
        ("submit.py", "from pathlib import Path\nPath('logs').mkdir(exist_ok=True)\n"),
        ("submit.sh", "mkdir -p {logs,out}\nsbatch job.sbatch\n"),
        ("logs/.gitkeep", ""),
    ],
)
def test_a_folder_of_logs_that_is_made_before(name: str, text: str) -> None:
    job = "#!/bin/bash\n#SBATCH --output=logs/%j.out\npython train.py\n"
    assert accused(job, "job.sbatch", **{name: text}) == set()
    assert accused(job, "job.sbatch") == {"launcher-log-folder-missing"}
