"""Notebooks whose training is a shell line: what to name instead; files that cells write."""

from __future__ import annotations

from pathlib import Path

import pytest

from trl_doctor.files.source.started import elsewhere, files_of
from trl_doctor.files.source.text import Piece


def cells(*texts: str) -> list[Piece]:
    return [Piece(Path("t.ipynb"), text, index, index + 1) for index, text in enumerate(texts)]


@pytest.mark.parametrize(
    "texts, says",
    [
        (("!pip install trl", "x = 1\n!python train.py --x 1"),
         "cell 2, line 2 starts `python train.py --x 1`: name it: "
         "trl-doctor rehearse -- python train.py --x 1"),
        (("%run train.py",),
         "cell 1, line 1 starts `python train.py`: name it: "
         "trl-doctor rehearse -- python train.py"),
        (("%%bash\naccelerate launch \\\n  t.py",),
         "cell 1, line 2 starts `accelerate launch t.py`: name it: "
         "trl-doctor rehearse -- accelerate launch t.py"),
        (("%%writefile t.py\nimport trl", "!python t.py"),
         "cell 2, line 1 starts `python t.py`: name it once t.py is saved as a file: "
         "trl-doctor rehearse -- python t.py"),
        (("!cat train.py\n!nvidia-smi", "%matplotlib inline\ntrain('a.py')"), ""),
    ],
)  # fmt: skip
def test_a_line_that_starts_the_training(texts: tuple[str, ...], says: str) -> None:
    assert elsewhere(cells(*texts)) == says


def test_a_script_is_no_notebook() -> None:
    assert elsewhere([Piece(Path("t.py"), "!python train.py")]) == ""


def test_files_that_cells_write() -> None:
    files = files_of(cells("%%writefile a.py\nx = 1", "%%writefile -a a.py\ny = 2\n",
                           "%%writefile ../b.py\nz", "%%bash\nls"))  # fmt: skip
    assert files == {"a.py": "x = 1\ny = 2\n"}
