"""The line of an exit that no process could report."""

from __future__ import annotations

from pathlib import Path

import pytest

from trl_doctor.core.question import Answer, Question
from trl_doctor.probes.answers.rehearse import RehearseAnswer
from trl_doctor.rehearsing.ending.exits import raised_exit
from trl_doctor.rehearsing.events import Event, Events


@pytest.mark.parametrize(
    ("script", "line"),
    [
        ("def main():\n    return 3\n\nraise SystemExit(main())\n", 4),
        ("print(1)\nexit(2)\n", 2),
        ("print(1)\nif True:\n    raise SystemExit\n", 3),
        ("print(1)\n", None),
        ("if a:\n    quit(1)\nexit(2)\n", None),
        ("raise ValueError('exit')\n", None),
    ],
)
def test_the_only_statement_that_ends_a_script(
    script: str, line: int | None, tmp_path: Path
) -> None:
    (tmp_path / "train.py").write_text(script)
    started: Event = {"kind": "started", "rank": 0, "time": 1.0, "folder": str(tmp_path),
                      "argv": ["/usr/bin/python3", "-u", "train.py", "--lr", "1"]}  # fmt: skip
    answer = Answer(Question("rehearse", "it", {}, RehearseAnswer), "answered",
                    RehearseAnswer(1, False, 1, str(tmp_path), ()))  # fmt: skip
    at = raised_exit(Events((started,), answer, tmp_path, tmp_path))
    assert (at.line if at else None) == line
