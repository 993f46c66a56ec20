"""Containers: a path inside is followed to the folder that is mounted there; `cd` is followed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from trl_doctor.commands.cli import main
from trl_doctor.files.launch.reading import read_launches

HEALTHY = Path(__file__).parents[3] / "fixtures/models/healthy"
SCRIPT = (
    "from datasets import load_dataset\nfrom trl import SFTConfig, SFTTrainer\n"
    "rows = load_dataset('json', data_files='/data/rows.jsonl')['train']\n"
    "SFTTrainer('/models/tiny', args=SFTConfig('out'), train_dataset=rows).train()\n"
)
COMPOSE = """services:
  train:
    working_dir: /w
    volumes:
      - ${CKPT:-./ckpt}:/models:ro
      - type: bind
        source: ./own
        target: /data
      - ./app:/w
      - cache:/root/.cache
    command: accelerate launch --num_processes 2 train.py
"""
POD = """apiVersion: v1
kind: Pod
spec:
  volumes:
    - {name: m, hostPath: {path: ./ckpt}}
    - {name: d, hostPath: {path: .}}
  containers:
    - workingDir: /app
      command: [python, train.py]
      volumeMounts:
        - {name: m, mountPath: /models}
        - {name: d, mountPath: /data, subPath: own}
"""
SKY = """run: python /app/train.py
resources: {accelerators: H100}
file_mounts:
  /models: ./ckpt
  /data: own
  /bucket: s3://there
"""
FILES = {
    "compose.yaml": COMPOSE,
    "docker.sh": 'docker run --rm -v $PWD/ckpt:/models -v "$(pwd)"/own:/data \\\n'
    " --mount type=bind,source=./app,target=/w -w /w img python train.py\n",
    "podman.sh": "podman run --volume=./ckpt:/models:z -v ./own:/data -v ./app:/w img \\\n"
    "  bash -c 'cd /w && python train.py'\n",
    "pyxis.sbatch": "#!/bin/bash\n#SBATCH --container-mounts=./own:/data\nHERE=$(pwd)\n"
    "srun --container-mounts=$HERE/ckpt:/models,${PWD}/app:/w:ro --container-workdir=/w \\\n"
    "  bash -c 'python train.py'\n",
    "apptainer.sh": "export APPTAINER_BIND=../own:/data\ncd app\n"
    "apptainer exec --nv -B ../ckpt:/models img.sif python train.py\n",
    "both.sbatch": "srun --ntasks=1 singularity exec -B ./ckpt:/models,./own:/data \\\n"
    "  --bind ./app:/w --pwd /w x.sif torchrun --nproc-per-node 2 train.py\n",
    "pod.yaml": POD,
    "sky.yaml": SKY,
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(HEALTHY, tmp_path / "ckpt/tiny")
    for name in ("own", "app"):
        (tmp_path / name).mkdir()
    (tmp_path / "own/rows.jsonl").write_text('{"text": "The sea was calm."}\n')
    (tmp_path / "app/train.py").write_text(SCRIPT)


def check(name: str) -> str:
    options = ("--with", "trl==1.16.0", "--with", "transformers==5.23.0", "--level", "files", "-v")
    return CliRunner().invoke(main, ["check", name, *options]).output


@pytest.mark.parametrize("name", FILES)
def test_a_path_inside_a_container_is_followed(name: str) -> None:
    Path(name).write_text(FILES[name])
    output = check(name)
    assert "LlamaForCausalLM, 320 embedding rows" in output
    assert "rows.jsonl has one row" in output


def test_what_is_not_in_the_mounted_folder_is_not_known() -> None:
    shutil.rmtree("ckpt/tiny")
    Path("docker.sh").write_text(FILES["docker.sh"])
    output = " ".join(check("docker.sh").split())
    assert (
        "the container sees" in output and "ckpt/tiny as /models/tiny, and it is not here" in output
    )
    assert "– docker.sh: incomplete, 1 warning" in output


def test_each_line_of_a_makefile_begins_in_its_folder() -> None:
    Path("train.py").write_text(SCRIPT)
    Path("Makefile").write_text(
        "all:\n\tcd app && python train.py\n"
        "\tcd app && \\\n\t  python train.py\n\tpython train.py\n"
    )
    launches = read_launches(Path("Makefile"), Path("Makefile").read_bytes(), "a Makefile")
    assert [launch.folder for launch in launches] == ["app", "app", ""]


def test_a_file_that_a_mounted_folder_lacks_is_an_error() -> None:
    lacks = SCRIPT.replace("'out'", "'out', chat_template_path='/models/tiny/none.jinja'")
    Path("app/train.py").write_text(lacks)
    Path("docker.sh").write_text(FILES["docker.sh"])
    output = " ".join(check("docker.sh").split())
    assert "chat_template_path: there is no file or model folder /models/tiny/none.jinja" in output


@pytest.mark.parametrize(
    "text, line",
    [
        ("cd app\npython train.py\n", 2),
        ("cd app && python train.py\n", 1),
        ("pushd app/\ncd ../app || exit 1\npython ./train.py\n", 3),
        ("cd $UNSET\ncd app\npython train.py\n", 3),
    ],
)
def test_a_script_in_the_folder_that_the_shell_goes_to(text: str, line: int) -> None:
    Path("train.py").write_text("print('another')\n")
    Path("job.sh").write_text(text)
    output = check("job.sh")
    assert f"line {line}: " in output and "trainer sft (SFTTrainer, line 4)" in output
