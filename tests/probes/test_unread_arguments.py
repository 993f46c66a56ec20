"""Arguments in a file of the script's own that do not reach its config."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from trl_doctor.probes.rehearsal.settings import config_files

SCRIPT = """
training = load("recipe.yaml")
args = Config(learning_rate=training["learning_rate"], max_steps=training["max_steps"],
              logging_steps=training["logging_steps"])
"""
FILE = {"learning_rate": 1e-5, "max_steps": 4, "logging_steps": 1, "beta": 0.1, "seed": 7}


@dataclass
class Config:
    learning_rate: float = 1e-4
    max_steps: int = -1
    logging_steps: int = 10
    beta: float = 0.0
    seed: int = 42


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """One with a script that has read a file, and given three of its keys to the config."""
    (tmp_path / "train.py").write_text(SCRIPT)
    monkeypatch.setattr(config_files, "own_files", lambda: [str(tmp_path / "train.py")])
    monkeypatch.setattr(config_files, "_sections", [])
    monkeypatch.setattr(config_files, "is_own", lambda file: True)
    (tmp_path / "recipe.yaml").write_text("")
    return tmp_path


def unread(folder: Path) -> list[Any]:
    with (folder / "recipe.yaml").open() as file:
        _load(file)
    given = {key: FILE[key] for key in ("learning_rate", "max_steps", "logging_steps")}
    return [one["words"] for one in config_files.unread(Config(**given), given)]  # type: ignore[arg-type]


def _load(file: Any) -> None:
    config_files._load(lambda source: dict(FILE), file)


def test_keys_that_nothing_reads(folder: Path) -> None:
    assert unread(folder) == [["beta (0.1, not 0.0), seed (7, not 42)", "recipe.yaml"]]


@pytest.mark.parametrize(
    ("name", "text", "left"),
    [
        ("sample.py", 'set_seed(load("recipe.yaml")["seed"])', ["beta (0.1, not 0.0)"]),
        ("launch.sh", "run --beta $(yq .beta $1) --seed $(yq .seed $1)", []),
        ("other.py", "seed, beta = 7, 0.1", ["beta (0.1, not 0.0), seed (7, not 42)"]),
        ("notes.txt", "recipe.yaml: seed and beta", ["beta (0.1, not 0.0), seed (7, not 42)"]),
    ],
)
def test_keys_that_another_program_reads(
    name: str, text: str, left: list[str], folder: Path
) -> None:
    (folder / name).write_text(text)
    assert unread(folder) == [[words, "recipe.yaml"] for words in left]


def test_programs_that_cannot_be_read(folder: Path) -> None:
    (folder / "gone.py").symlink_to(folder / "nothing.py")
    (folder / "kept.py").mkdir()
    assert len(unread(folder)) == 1


def test_keys_that_the_script_lists_in_a_text(folder: Path) -> None:
    (folder / "train.py").write_text(f'{SCRIPT}\nLATER = "seed, beta".split(", ")\n')
    assert unread(folder) == []
