"""A notebook's long outputs: its places and its edits are those of the whole text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from trl_doctor.commands.cli import main
from trl_doctor.files.source.outputs import slim

CODE = [
    "from trl import SFTConfig, SFTTrainer\n",
    'print("outputs: [")\n',
    "args = SFTConfig(output_dir='o', max_seq_length=5)\n",
    "SFTTrainer('./m', args=args)",
]


def _notebook(text: str) -> dict[str, Any]:
    printed = {"output_type": "stream", "name": "stdout", "text": [text] * 200}
    picture = {"output_type": "display_data", "data": {"image/png": text * 500}, "metadata": {}}
    cells = [
        {"cell_type": "code", "outputs": [printed, picture], "source": ["x = 1"]},
        {"cell_type": "code", "outputs": [], "source": CODE},
        {"cell_type": "code", "outputs": [picture], "source": "y = 2"},
    ]
    return {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("text", ['line ] } [ "\\\n', 'é "outputs": [1, 2] \\"outputs\\": ['])
def test_places_and_edits(
    indent: int | None, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    whole = json.dumps(_notebook(text), indent=indent, ensure_ascii=False)
    small = slim(whole)
    assert len(small.cut) == 2 and len(small.text) < 1500
    assert small.restored(small.text) == whole
    at = small.text.index("args = ")
    assert whole.startswith("args = SFTConfig", small.original(at))

    (tmp_path / "train.ipynb").write_text(whole)
    words = ["train.ipynb", "--with", "trl==1.16.0", "--with", "transformers==5.23.0",
             "--level", "files"]  # fmt: skip
    output = CliRunner().invoke(main, ["check", *words, "-o", "json"]).output
    checks = json.loads(output)["targets"][0]["checks"]
    findings = [finding for check in checks for finding in check["findings"]]
    (finding,) = (candidate for candidate in findings if "max_seq_length" in candidate["message"])
    before = whole[: whole.index("max_seq_length=")]
    column = len(before) - before.rfind("\n")
    assert (finding["line"], finding["column"]) == (before.count("\n") + 1, column)
    CliRunner().invoke(main, ["check", *words, "--fix"])
    fixed = whole.replace("max_seq_length=", "max_length=")
    assert (tmp_path / "train.ipynb").read_text() == fixed
