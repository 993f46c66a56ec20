"""Variables that a launch file sets for itself, and that a rehearsed script lacks."""

from __future__ import annotations

from pathlib import Path

import pytest

from trl_doctor.rehearsing.command.command import command
from trl_doctor.rehearsing.ending.failure import Failure
from trl_doctor.rehearsing.ending.missing_variables import not_exported

PYTHON = Path("/venv/bin/python")
CASES = {
    "one": ("A=1\n", "variable A is", "A is set in go.sh:1, but not exported: the script does not"),
    "two": ("A=1\nB=2\n", "variables A and B are", "A and B are set in go.sh:1, but not exported"),
    "the other": ("B=2\n", "variables A and B are", ""),
    "exported": ("export A=1\n", "variable A is", ""),
    "of nobody": ("", "variable A is", ""),
}


@pytest.mark.parametrize(("text", "missing", "says"), CASES.values(), ids=CASES)
def test_what_a_launch_file_keeps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, missing: str, says: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("train.py").write_text("pass\n")
    Path("go.sh").write_text(f"{text}python train.py\n")
    ended = Failure(
        "machine", f"the environment {missing} not set here", "set it", None, "variable"
    )
    found = not_exported(ended, command(["go.sh"], PYTHON))
    assert found is not None
    if says:
        assert found.whose == "script" and found.message.startswith(says)
        assert found.remedy.startswith("write `export A")
    else:
        assert found == ended
