"""A rehearsal of a notebook that starts its training by a shell line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from trl_doctor.rehearsing.code_line import CodeLine
from trl_doctor.rehearsing.command.command import NoCommand, command

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
    assert CodeLine(tmp_path / "a.ipynb", 3, named.notebook).shown == "a.ipynb, cell 2, line 3"
    cells[0]["source"] = "RATE = f()"
    Path("a.ipynb").write_text(json.dumps({"nbformat": 4, "cells": cells}, indent=1))
    with pytest.raises(NoCommand, match="cell 4, line 1: an argument is not known"):
        command(["a.ipynb"], PYTHON)


def started(folder: Path, *texts: str) -> tuple[str, ...]:
    """The command of a notebook with these cells, and below them one that starts its script."""
    script = "%%writefile train.py\nimport trl\ntrl.SFTTrainer(\n)\n"
    cells = [{"cell_type": "code", "source": text}
             for text in (*texts, script, "print(1)\n!python train.py\nprint(2)")]  # fmt: skip
    Path("a.ipynb").write_text(json.dumps({"nbformat": 4, "cells": cells}))
    named = command(["a.ipynb"], PYTHON)
    assert named.notebook is not None
    before = named.notebook.before
    return (*named.arguments[:2], before.script if before else "")


def test_the_cells_above_the_line_run_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    program, option, script = started(tmp_path, "rows = make()\n!ls\n", "%%bash\nls\n")
    assert (program, option) == ("/bin/sh", "-c")
    assert "rows = make()\npass\n" in script
    assert "print(1)" in script and "print(2)" not in script and "SFTTrainer" not in script
    book = command(["a.ipynb"], PYTHON).notebook
    assert book is not None and book.before is not None
    assert CodeLine(tmp_path / "a.ipynb", 2, book.before).shown == "a.ipynb, cell 1, line 1"


def test_cells_that_only_set_names_are_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    cells = [{"cell_type": "code", "source": text} for text in (
        "!pip install trl\nimport os\nRATE, NAMES = 1e-5, ['a']\n",
        "%%writefile train.py\nimport trl\ntrl.SFTTrainer(\n)\n", "!python train.py")]  # fmt: skip
    Path("a.ipynb").write_text(json.dumps({"nbformat": 4, "cells": cells}))
    named = command(["a.ipynb"], PYTHON)
    assert named.notebook is not None and named.notebook.before is None
    assert named.arguments == (str(PYTHON), "train.py")
