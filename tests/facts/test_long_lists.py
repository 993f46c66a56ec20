"""The first rows of a file of JSON that is one list, and too long to be read whole."""

import json
from pathlib import Path

import pytest

from trl_doctor.facts.rows.long_lists import first_items, is_long_list

ROW = {"a": "], {", "b": [{"c": "é"}]}


@pytest.mark.parametrize("indent", [None, 2])
def test_the_rows_that_end_in_the_first_bytes_are_read(indent: int | None, tmp_path: Path) -> None:
    file = tmp_path / "rows.json"
    file.write_text(json.dumps([ROW] * 100, indent=indent, ensure_ascii=False), encoding="utf-8")
    size = file.stat().st_size
    assert not is_long_list(file, size)
    assert is_long_list(file, size // 2)
    for largest in range(size // 2, size // 2 + 60):
        rows = list(first_items(file, largest))
        assert rows and all(row == ROW for row in rows)
        assert 40 <= len(rows) <= 60


@pytest.mark.parametrize("text", ['[1, {"a": 2}]', '[{"a": "xxxxxxxxxxxxxxxxxxxxxxxx"}]'])
def test_what_has_no_first_row_is_refused(text: str, tmp_path: Path) -> None:
    file = tmp_path / "rows.json"
    file.write_text(text)
    with pytest.raises(ValueError, match=r"no mapping|too large"):
        list(first_items(file, 12))


def test_lines_are_no_list(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text('{"a": 1}\n' * 100)
    assert not is_long_list(file, 10)
