"""A file that is not here, and that a shell line of a notebook may make."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from trl_doctor.core.question import Answer, Question
from trl_doctor.probes.answers.rehearse import RehearseAnswer
from trl_doctor.rehearsing.code_line import CodeLine
from trl_doctor.rehearsing.command.notebook import notebook
from trl_doctor.rehearsing.ending.missing_file import unmade
from trl_doctor.rehearsing.events import Event, Events


def judged(folder: Path, *lines: str, path: str = "data/rows.jsonl", writes: bool = False) -> str:
    """What is said of a file that is not there, in a notebook with these shell lines."""
    cells = [{"cell_type": "code", "source": text} for text in (*lines, f"open('{path}')")]
    file = folder / "a.ipynb"
    file.write_text(json.dumps({"nbformat": 4, "cells": cells}))
    facts = {"path": path, "writes": writes}
    event: Event = {"kind": "failed", "type": "FileNotFoundError", "message": "", "facts": facts}
    answer = Answer(Question("rehearse", "it", {}, RehearseAnswer), "answered", None)
    book = notebook(file)
    events = Events((event,), answer, folder, folder, notebook=book)
    failed = unmade(events, event, CodeLine(file, 2, book))
    return failed.message if failed else ""


@pytest.mark.parametrize(
    ("lines", "named"),
    [
        (("!wget -q https://x.org/rows.jsonl -P data",), "cell 1, line 1"),
        (("!pip install trl\n!nvidia-smi", "!git clone https://x.org/a", "!python prep.py data"),
         "cell 3, line 1"),
        (("%%bash\nset -e\nunzip rows.zip -d data\n",), "cell 1, line 3"),
        (("!pip install -q trl\n!ls data\n!nvidia-smi",), ""),
        ((), ""),
    ],
)  # fmt: skip
def test_the_line_that_may_make_a_file_is_named(
    lines: tuple[str, ...], named: str, tmp_path: Path
) -> None:
    message = judged(tmp_path, *lines)
    assert (f"does not run {named} " in message) if named else not message


def test_a_folder_that_no_line_names_is_the_cells_own_mistake(tmp_path: Path) -> None:
    assert not judged(tmp_path, "!wget https://x.org/rows.zip", path="out/a.json", writes=True)
    assert judged(tmp_path, "!mkdir -p out", path="out/a.json", writes=True)
