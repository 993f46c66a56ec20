"""A key gets another name where it stands: its line, comment and value stay."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from trl_doctor.commands.cli import main
from trl_doctor.files.document import parse
from trl_doctor.files.key_name import with_other_name

CASES = {
    "comment": ("a.yaml", "a: 1  # one\nb: 2\n", "c: 1  # one\nb: 2\n"),
    "quoted": ("a.yaml", "b: 2\n'a' : [1,\n  2]\n", "b: 2\n'c' : [1,\n  2]\n"),
    "mark": ("a.yaml", "\ufeffa: 1\r\nb: 2\r\n", "\ufeffc: 1\r\nb: 2\r\n"),
    "json": ("a.json", '{"b": "a", "a": {"a": 1}}', '{"b": "a", "c": {"a": 1}}'),
    "flow": ("a.yaml", "{b: a, a: 1}\n", "{b: a, c: 1}\n"),
    "merge": ("a.yaml", "x: &x\n  a: 1\n<<: *x\n", None),
    "there": ("a.yaml", "a: 1\nc: 1\n", None),
    "twice": ("a.yaml", "a: 1\na: 2\n", None),
    "escaped": ("a.json", '{"\\u0061": 1}', None),
    "absent": ("a.yaml", "b: 1\n", None),
}


@pytest.mark.parametrize("name", CASES)
def test_a_key_under_another_name(name: str) -> None:
    file, before, after = CASES[name]
    document = parse(Path(file), before.encode())
    data = after.encode() if after is not None else None
    assert with_other_name(document, ("a",), ("c",)) == data


def test_fix_renames_in_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = (
        "\ufeff# trl sft --config run.yaml\nmodel_name_or_path: m\nmax_seq_length: 5  # short\n"
        "output_dir: o\n"
    )
    Path("run.yaml").write_text(text)
    options = ["--with", "trl==1.16.0", "--with", "transformers==5.23.0", "--level", "files"]
    output = CliRunner().invoke(main, ["check", "run.yaml", "--fix", *options]).output
    assert "repaired: rename max_seq_length to max_length" in output
    assert Path("run.yaml").read_text() == text.replace("max_seq_length", "max_length")
