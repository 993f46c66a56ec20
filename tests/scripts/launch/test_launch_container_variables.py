"""The variables that a container gets: `docker run -e`, `--env-file`, `srun --export`."""

from __future__ import annotations

from pathlib import Path

import pytest

from trl_doctor.files.launch.launch import Launch
from trl_doctor.files.launch.reading import read_launches

FILE = "# of the run\nMODEL=./m\nRATE=1e-5\nNAME='quoted'\nPLACE=here # a comment\n"
TRAIN = "python train.py --model $MODEL --rate $RATE"


def launched(text: str, folder: Path) -> Launch:
    (folder / "train.env").write_text(FILE)
    file = folder / "job.sh"
    file.write_text(f"#!/bin/bash\n{text}\n")
    (launch,) = read_launches(file, file.read_bytes(), "a shell script")
    return launch


def words(launch: Launch) -> list[str]:
    return ["?" if word.open else word.text for word in launch.words[1::2]]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        (f"docker run --env-file train.env img bash -c '{TRAIN}'", ["./m", "1e-5"]),
        (f"docker run --env-file=train.env -e RATE=2 img bash -c '{TRAIN}'", ["./m", "2"]),
        (f"export MODEL=./x\ndocker run -e MODEL -e RATE=$R img sh -c '{TRAIN}'", ["./x", "?"]),
        (f"MODEL=./x\npodman run --env=MODEL --env RATE=3 img sh -c '{TRAIN}'", ["?", "3"]),
        (f"export MODEL=./x\ndocker run -e RATE=3 img sh -c '{TRAIN}'", ["?", "3"]),
        (f"MODEL=./x; RATE=4\ndocker run img {TRAIN}", ["./x", "4"]),
        (f"docker compose run -e MODEL=./m train bash -c '{TRAIN}'", ["./m", "?"]),
        (f"apptainer exec --env MODEL=./m,RATE=5 a.sif bash -c '{TRAIN}'", ["./m", "5"]),
        (f"export MODEL=./x\nsrun --export=ALL,RATE=6 bash -c '{TRAIN}'", ["./x", "6"]),
    ],
)
def test_a_container_gets_the_variables_that_are_named(
    text: str, values: list[str], tmp_path: Path
) -> None:
    assert words(launched(text, tmp_path)) == values


def test_the_script_gets_them_too(tmp_path: Path) -> None:
    text = "export HOST=1\ndocker run -e A=1 --env-file train.env img python train.py"
    assert launched(text, tmp_path).variables == {"A": "1", "MODEL": "./m", "RATE": "1e-5"}


def test_quotation_marks_of_such_a_file_are_a_part_of_the_value(tmp_path: Path) -> None:
    text = "docker run --env-file train.env img sh -c 'python train.py --a $NAME --b $PLACE'"
    reasons = [word.open for word in launched(text, tmp_path).words[1::2]]
    assert reasons == [
        f"Docker takes quotation marks and comments of train.env for a part of {name}"
        for name in ("NAME", "PLACE")
    ]
