"""Values of launch files are what bash, make and Modal make of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from trl_doctor.files.launch import forms, reading
from trl_doctor.files.launch.launch import Launch

LOOP = "for i in $(seq {}); do python train.py --seed $i; done\n"
NODES = 'NODES=($(scontrol show hostnames "$SLURM_JOB_NODELIST") last)\n'
MODAL = """import subprocess
import modal
app = modal.App("x")

@app.function(gpu="H100:4")
def train(config: str = "sft.yaml"):
    subprocess.run(["python", "train.py", "--config", config])
"""
SEEDS = "seeds:\n\tfor seed in 1 2; do python train.py --seed {} || exit 1; done\n"


def read(path: Path, text: str) -> list[Launch]:
    data = text.encode()
    kind = forms.PROGRAM if path.suffix == ".py" else forms.form(path, data)
    return reading.read_launches(path, data, kind)


@pytest.mark.parametrize(("given", "turns"), [("2", "12"), ("3 4", "34"), ("1 2 5", "135")])
def test_numbers_of_seq(given: str, turns: str, tmp_path: Path) -> None:
    found = read(tmp_path / "job.sh", LOOP.format(given))
    assert [launch.turn[-1][1] for launch in found] == list(turns)


@pytest.mark.parametrize(
    ("array", "index", "text", "known"),
    [
        (NODES, 0, "", False),
        (NODES, 1, "", False),
        (NODES, 4, "", False),
        ("NODES=(a b)\n", 1, "b", True),
        ("NODES=(a $OTHER)\n", 0, "a", True),
    ],
)
def test_a_word_of_an_array(array: str, index: int, text: str, known: bool, tmp_path: Path) -> None:
    line = f'{array}python train.py --host "${{NODES[{index}]}}"\n'
    (launch,) = read(tmp_path / "job.sh", line)
    assert (launch.words[1].text, not launch.words[1].open) == (text, known)


@pytest.mark.parametrize(
    ("written", "seeds"),
    [("$$seed", ["1", "2"]), ("$${seed}", ["1", "2"]), ("$seed", ["eed"]), ("$(seed)", [])],
)
def test_variables_of_a_recipe(written: str, seeds: list[str], tmp_path: Path) -> None:
    found = read(tmp_path / "Makefile", SEEDS.format(written))
    assert [launch.words[1].text for launch in found if len(launch.words) > 1] == seeds


def test_a_letter_is_a_variable_of_make(tmp_path: Path) -> None:
    (launch,) = read(tmp_path / "Makefile", "S = 7\nsft:\n\tpython train.py --seed $S\n")
    assert launch.words[1].text == "7"


@pytest.mark.parametrize(
    ("call", "known"), [("", True), ("train.remote()", True), ("train.remote('dpo.yaml')", False)]
)
def test_the_default_of_a_parameter(call: str, known: bool, tmp_path: Path) -> None:
    (launch,) = read(tmp_path / "app.py", MODAL + call)
    assert (launch.words[1].text == "sft.yaml") == known == (not launch.words[1].open)


@pytest.mark.parametrize(
    ("folder", "expected"), [("src", "src"), ("./src", "src"), ("s3://b/a.zip", "")]
)
def test_the_folder_of_a_job_of_ray(folder: str, expected: str, tmp_path: Path) -> None:
    line = f"ray job submit --working-dir {folder} -- python train.py\n"
    (launch,) = read(tmp_path / "job.sh", line)
    assert launch.folder == expected
