"""A trainer examined from inside its own program, at the same rules as everywhere."""

from __future__ import annotations

import sysconfig
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from commands import answered

ROOT = Path(__file__).parents[2]
SCRIPT = Path(__file__).with_name("inside.py")


def inside(python: Path, folder: Path, **request: Any) -> dict[str, Any]:
    """What the doctor says of a trainer that holds the healthy model."""
    asked = {"model": str(ROOT / "fixtures/models/healthy"), "added": 0, "resize": False,
             "train": False, **request}  # fmt: skip
    answer: dict[str, Any] = answered(
        python, SCRIPT, sysconfig.get_paths()["purelib"], request=asked, cwd=folder, noisy=True
    )
    return answer


def test_a_healthy_trainer_passes(interpreter: Callable[[str], Path], tmp_path: Path) -> None:
    told = inside(interpreter("current"), tmp_path)
    assert (told["verdict"], told["raised"], told["crashed"]) == ("passed", [], False)


def test_tokens_without_rows_are_found(interpreter: Callable[[str], Path], tmp_path: Path) -> None:
    python = interpreter("current")
    assert "tokenizer-longer-than-embedding" in inside(python, tmp_path, added=40)["raised"]
    assert inside(python, tmp_path, added=40, resize=True)["raised"] == []


@pytest.mark.slow
def test_the_callback_says_what_the_logs_show(
    interpreter: Callable[[str], Path], tmp_path: Path
) -> None:
    told = inside(interpreter("current"), tmp_path, train=True)["told"]
    assert any("the same reward in three logs" in one for one in told)
