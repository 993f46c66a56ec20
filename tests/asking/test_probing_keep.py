"""What `--keep` leaves: the probe's folder, and a command that asks the same again."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from asking.questions import PYTHON, Nothing, ask, healthy, hostile, nothing_left

from trl_doctor.asking.keep import writable
from trl_doctor.asking.probes import Probes
from trl_doctor.core.question import Answer, Question
from trl_doctor.core.unavailable import Unavailable


@pytest.fixture(autouse=True)
def nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Nothing]:
    """After each test no process, no temporary file and no open descriptor is left."""
    yield from nothing_left(tmp_path, monkeypatch)


def answers_of(folder: Path, *questions: Question) -> list[Answer]:
    with Probes(PYTHON, variables={"SPELL": "it's $HOME"}, keep=folder) as probes:
        return ask(probes, *questions)


def repeat(answer: Answer) -> subprocess.CompletedProcess[str]:
    return subprocess.run(answer.repeat, shell=True, capture_output=True, text=True, cwd="/")


def test_a_question_is_repeated_with_the_same_answer(tmp_path: Path) -> None:
    (answer,) = answers_of(tmp_path / "a folder", healthy(3))
    again = repeat(answer)
    assert again.returncode == 0, again.stderr
    assert json.loads(again.stdout)["answer"] == answer.value == {"asked": {"n": 3}}
    assert (tmp_path / "a folder" / "healthy" / "answer.json").exists()


def test_a_question_is_repeated_in_the_same_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (answer,) = answers_of(tmp_path / "kept", hostile("surroundings"))
    monkeypatch.setenv("HF_TOKEN", "secret")
    variables = json.loads(repeat(answer).stdout)["answer"]["variables"]
    assert variables["SPELL"] == "it's $HOME"
    assert variables["HF_HUB_OFFLINE"] == "1"
    assert "HF_TOKEN" not in variables


def test_an_error_is_repeated_and_sets_the_exit_status(tmp_path: Path) -> None:
    (answer,) = answers_of(tmp_path / "kept", hostile("connect"))
    assert "NetworkRefused" in (tmp_path / "kept" / "hostile" / "output.txt").read_text()
    again = repeat(answer)
    assert again.returncode == 1
    assert json.loads(again.stdout)["raised"]["type"] == "NetworkRefused"


def test_what_a_library_prints_is_not_among_the_repeated_answer(tmp_path: Path) -> None:
    (answer,) = answers_of(tmp_path / "kept", hostile("noise"))
    again = repeat(answer)
    assert json.loads(again.stdout)["raised"]["message"] == "after the noise"
    assert "new" in again.stderr


def test_a_script_of_the_probes_own_is_what_repeats(tmp_path: Path) -> None:
    (answer,) = answers_of(tmp_path / "kept", hostile("write repeat.py"))
    assert answer.repeat == f"{PYTHON} {tmp_path}/kept/hostile/work/repeat.py"
    assert repeat(answer).stdout == "again\n"


def test_kept_folders_do_not_overwrite_each_other(tmp_path: Path) -> None:
    answers_of(tmp_path / "kept", healthy(1), healthy(2))
    answers_of(tmp_path / "kept", healthy(3))
    numbers = [json.loads(path.read_text())["answer"]["asked"]["n"]
               for path in (tmp_path / "kept").glob("healthy*/answer.json")]  # fmt: skip
    assert sorted(numbers) == [1, 2, 3]


@pytest.mark.parametrize("do", ["delete all its folders", "die by SIGKILL", "leave a pipe"])
def test_what_is_left_of_a_rude_probe_is_kept(tmp_path: Path, do: str) -> None:
    (answer,) = answers_of(tmp_path / "kept", hostile(do))
    assert Path(answer.repeat).is_file()


def test_a_folder_that_fails_later_costs_no_answer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    (answer,) = answers_of(tmp_path / "file", healthy())
    assert answer.state == "answered" and not answer.repeat
    assert "trl-doctor: healthy could not be kept" in capsys.readouterr().err


def test_a_folder_that_cannot_be_written_is_refused_beforehand(tmp_path: Path) -> None:
    writable(tmp_path / "new" / "folder")
    assert os.listdir(tmp_path / "new" / "folder") == []  # noqa: PTH208
    (tmp_path / "file").touch()
    for folder, why in [(tmp_path / "file", "File exists"), (tmp_path / "file/x", "Not a dir")]:
        with pytest.raises(Unavailable, match=f"--keep {folder}: {why}"):
            writable(folder)
