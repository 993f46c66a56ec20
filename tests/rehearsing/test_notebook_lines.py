"""A rehearsal of a notebook that starts its training by a shell line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from trl_doctor.rehearsing.at import At
from trl_doctor.rehearsing.command import NoCommand, command

PYTHON = Path("/usr/bin/python3")


def test_a_notebook_that_starts_its_script_is_rehearsed_as_that_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    texts = ["RATE = 2.0\n", "%%writefile train.py\nimport trl\ntrl.SFTTrainer(\n)\n",
             "%%writefile run.yaml\nx: 1\n",
             "!accelerate launch --num_processes 4 train.py --rate {RATE}"]  # fmt: skip
    cells = [{"cell_type": "code", "source": text} for text in texts]
    Path("a.ipynb").write_text(json.dumps({"nbformat": 4, "cells": cells}, indent=1))
    named = command(["a.ipynb"], PYTHON)
    assert named.arguments[-3:] == ("train.py", "--rate", "2.0") and named.processes == 4
    assert named.notebook is not None
    assert named.notebook.files == {
        "train.py": "\nimport trl\ntrl.SFTTrainer(\n)\n",
        "run.yaml": "x: 1\n",
    }
    assert At(tmp_path / "a.ipynb", 3, named.notebook).shown == "a.ipynb, cell 2, line 3"
    cells[0]["source"] = "RATE = f()"
    Path("a.ipynb").write_text(json.dumps({"nbformat": 4, "cells": cells}, indent=1))
    with pytest.raises(NoCommand, match="cell 4, line 1: an argument is not known"):
        command(["a.ipynb"], PYTHON)
