"""Variables that a launch file takes from files beside it, and from the parts of a YAML file."""

from __future__ import annotations

from pathlib import Path

import pytest

from trl_doctor.files.launch import forms, reading
from trl_doctor.files.launch.launch import Launch
from trl_doctor.rehearsing.command.launch_file import local_command

SHELL = "#!/bin/bash\n{}torchrun --nproc_per_node=$NPROC train.py --lr $LR\n"
ENV = {"train.env": "# set for all\nNPROC=2\nLR='1e-6'  # small\n"}


def started(folder: Path, name: str, text: str, files: dict[str, str]) -> list[Launch]:
    for other, content in files.items():
        (folder / other).parent.mkdir(parents=True, exist_ok=True)
        (folder / other).write_text(content)
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return reading.read_launches(path, text.encode(), forms.form(path, text.encode()))


@pytest.mark.parametrize(
    "line",
    [
        "set -a\n. ./train.env\nset +a\n",
        "source train.env\n",
        'cd "$(dirname "$0")" && source "$(dirname "$0")/train.env"\n',
        "[ -f train.env ] && source train.env\n",
        "cat > made.env <<EOF\nNPROC=2\nLR=1e-6\nEOF\nsource made.env\n",
    ],
)
def test_a_sourced_file_gives_values(line: str, tmp_path: Path) -> None:
    (launch,) = started(tmp_path, "job.sh", SHELL.format(line), ENV)
    assert launch.processes == 2
    assert launch.words[1].text == "1e-6"
    assert launch.words[1].line == launch.line
    exported = "set -a" in line
    assert ("LR" in launch.kept) is not exported
    assert exported or launch.kept["LR"].line < launch.line


@pytest.mark.parametrize("name", ["absent.env", "/etc/environment", "~/.bashrc", "v/bin/activate"])
def test_a_file_of_the_machine_gives_none(name: str, tmp_path: Path) -> None:
    files = {"v/bin/activate": "LR=1\n"}
    (launch,) = started(tmp_path, "job.sh", SHELL.format(f"source {name}\n"), files)
    assert launch.processes is None
    assert launch.words[1].open


def test_files_that_source_each_other(tmp_path: Path) -> None:
    files = {"a.sh": "source b.sh\nexport NPROC=4\n", "b.sh": "source a.sh\nexport LR=1e-5\n"}
    (launch,) = started(tmp_path, "job.sh", SHELL.format("source a.sh\n"), files)
    assert (launch.processes, launch.words[1].text) == (4, "1e-5")


def test_a_rehearsal_reads_the_file_too(tmp_path: Path) -> None:
    started(tmp_path, "job.sh", SHELL.format("set -a; source train.env\n"), ENV)
    started_here = local_command([str(tmp_path / "job.sh")], {}, None)
    assert started_here is not None
    assert started_here.words[-2:] == ("--lr", "1e-6")
    assert started_here.variables["LR"] == "1e-6"


POD = """apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  containers:
  - name: train
    %s
    command: [python, train.py, --lr, $(LR)]
  - name: other
    env: [{name: LR, value: "9"}]
    command: [sleep, "1"]
---
apiVersion: v1
kind: ConfigMap
metadata: {name: known}
data: {LR: "5", KEY: "6"}
"""


@pytest.mark.parametrize(
    ("env", "value"),
    [
        ("env: [{name: LR, value: '4'}]", "4"),
        ("envFrom: [{configMapRef: {name: known}}]", "5"),
        ("env: [{name: LR, valueFrom: {configMapKeyRef: {name: known, key: KEY}}}]", "6"),
        ("env: [{name: LR, valueFrom: {secretKeyRef: {name: s, key: k}}}]", None),
        ("envFrom: [{configMapRef: {name: elsewhere}}]", None),
        ("envFrom: [{prefix: X_, configMapRef: {name: known}}]", "$(LR)"),
        ("image: x", "$(LR)"),
    ],
)
def test_variables_of_a_container(env: str, value: str | None, tmp_path: Path) -> None:
    """Those of another container do not count; what a secret holds is not known."""
    (launch,) = started(tmp_path, "pod.yaml", POD % env, {})
    assert (None if launch.words[1].open else launch.words[1].text) == value


COMPOSE = """services:
  train:
    {}
    command: bash -c "python train.py --lr $$LR --out ${{OUT:-here}} --name $NAME"
  other:
    environment: {{LR: 9}}
    command: sleep 1
"""


@pytest.mark.parametrize(
    "given",
    [
        "environment: {LR: 1e-6}",
        "environment: ['LR=1e-6']",
        "environment: {LR: '${RATE}'}",
        "env_file: train.env",
        "env_file: [{path: ./train.env, required: false}]",
    ],
)
def test_variables_of_compose(given: str, tmp_path: Path) -> None:
    """`$$` is a dollar sign, `${…}` comes from `.env`."""
    (launch,) = started(
        tmp_path, "compose.yaml", COMPOSE.format(given), {**ENV, ".env": "RATE=1e-6"}
    )
    words = [None if word.open else word.text for word in launch.words]
    assert words in (["--lr", rate, "--out", "here", "--name", None] for rate in ("1e-6", "1e-06"))


def test_the_entrypoint_of_compose_comes_first(tmp_path: Path) -> None:
    text = "services:\n  a:\n    command: [train.py, --lr, '1']\n    entrypoint: [python]\n"
    (launch,) = started(tmp_path, "compose.yaml", text, {})
    assert [word.text for word in launch.words] == ["--lr", "1"]


MAKE = "{}\nall:\n\tpython train.py --lr $(LR)\n"


@pytest.mark.parametrize(
    ("head", "value"),
    [
        ("LR = 1\nLR = 2", "2"),
        ("LR ?= 1\nLR ?= 2", "1"),
        ("-include own.mk\nLR ?= 1", "3"),
        ("LR = 1\ninclude own.mk", "3"),
        ("include gone.mk", None),
        ("LR = 1\nifdef BIG\nLR = 2\nendif", None),
        ("LR = $(shell date)\nLR += 2", None),
        ("A = $(B)\nB = 4\nLR = $(A)", "4"),
        ("A := 4\nLR := ${A}", "4"),
        ("LR = \\\n  5", "5"),
        ("LR = $(LR2)\nLR2 = $(LR)", None),
    ],
)
def test_variables_of_a_makefile(head: str, value: str | None, tmp_path: Path) -> None:
    (launch,) = started(tmp_path, "Makefile", MAKE.format(head), {"own.mk": "export LR := 3\n"})
    assert (None if launch.words[1].open else launch.words[1].text) == value


def test_options_that_a_makefile_adds(tmp_path: Path) -> None:
    head = "M := m\nLR = 1 --model $(M) \\\n  --seed 3\nLR += --beta 2\nLR := $(LR) --x"
    (launch,) = started(tmp_path, "Makefile", MAKE.format(head), {})
    words = ["--lr", "1", "--model", "m", "--seed", "3", "--beta", "2", "--x"]
    assert [word.text for word in launch.words] == words


def test_the_variables_of_a_ray_job(tmp_path: Path) -> None:
    text = ("apiVersion: ray.io/v1\nkind: RayJob\nspec:\n  entrypoint: python train.py --lr $LR\n"
            "  runtimeEnvYAML: |\n    env_vars:\n      LR: '3e-6'\n")  # fmt: skip
    (launch,) = started(tmp_path, "job.yaml", text, {})
    assert (launch.words[-1].text, launch.variables["LR"]) == ("3e-6", "3e-6")


@pytest.mark.parametrize("load", ["", "set dotenv-load", "set dotenv-load := false"])
def test_variables_of_a_justfile(load: str, tmp_path: Path) -> None:
    text = f"{load}\nall:\n    python train.py --lr $LR\n"
    (launch,) = started(tmp_path, "justfile", text, {".env": "LR=1e-6\n"})
    assert bool(launch.words[1].open) is (load != "set dotenv-load")
