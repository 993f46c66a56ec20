"""Which file of a folder has the rows: the one that `load_dataset` would read."""

from __future__ import annotations

from pathlib import Path

import pytest

from trl_doctor.facts.data_files import ENDINGS, PREFERRED, data_file


@pytest.mark.parametrize(
    ("names", "chosen"),
    [
        ("train.jsonl", "train.jsonl"),
        ("train.parquet test.parquet train.jsonl", "train.parquet"),
        ("a.jsonl b.jsonl c.parquet", "a.jsonl"),
        ("test.csv test2.csv train.json", "train.json"),
        ("config.json rows.csv", "rows.csv"),
        ("train/rows.json notes.md", "train/rows.json"),
        ("state.json cache-1.arrow data-0.arrow tmp1.arrow", "data-0.arrow"),
        ("notes.md", None),
    ],
)
def test_the_file_of_a_folder(names: str, chosen: str | None, tmp_path: Path) -> None:
    for name in names.split():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert data_file(tmp_path, PREFERRED) == (tmp_path / chosen if chosen else None)
    text = bool(chosen) and Path(chosen or "").suffix in ENDINGS
    assert (data_file(tmp_path) is not None) == text
