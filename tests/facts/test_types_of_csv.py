"""Rows of CSV files: the types of their cells, and what is no table."""

from pathlib import Path

import pytest

from trl_doctor.core.finding import Json
from trl_doctor.facts.rows.tables import table_rows


def rows(folder: Path, text: str, name: str = "rows.csv", most: int = 100) -> list[dict[str, Json]]:
    file = folder / name
    file.write_bytes(text.encode())
    return list(table_rows(file, 10_000, most))


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["1", " 2", "-3"], [1, 2, -3]),
        (["1", "", "3"], [1.0, None, 3.0]),
        (["1", "2.5", "1e3", "inf"], [1.0, 2.5, 1000.0, float("inf")]),
        (["1_000", "2"], ["1_000", "2"]),
        (["True", "false", "TRUE"], [True, False, True]),
        (["True", "no"], ["True", "no"]),
        (["NA", "null", "None", "nan"], [None, None, None, None]),
        (["a", "null", "007"], ["a", None, "007"]),
        (["007"], [7]),
        (["١"], ["١"]),
    ],
)
def test_a_column_has_one_type(cells: list[str], values: list[Json], tmp_path: Path) -> None:
    read = rows(tmp_path, "\n".join(["text,cell", *(f"x,{cell}" for cell in cells)]))
    assert [row["cell"] for row in read] == values
    assert all(row["text"] == "x" for row in read)


def test_cells_have_commas_lines_and_tabs(tmp_path: Path) -> None:
    assert rows(tmp_path, 'a,b\n"x, y","1\n2"\n\n') == [{"a": "x, y", "b": "1\n2"}]
    assert rows(tmp_path, "a\tb\nx, y\t3\n", "rows.tsv") == [{"a": "x, y", "b": 3}]
    assert rows(tmp_path, "\ufeffa,b\n1\n") == [{"a": 1, "b": None}]
    assert rows(tmp_path, "a,b\n") == []
    assert rows(tmp_path, "") == []


def test_of_a_large_table_the_first_rows_are_read(tmp_path: Path) -> None:
    line = 'good,"two\nlines"\n'
    for count in (600, 640):
        text = "a,b\n" + line * count
        read = rows(tmp_path, text, most=10_000)
        assert all(row == {"a": "good", "b": "two\nlines"} for row in read)
        assert (len(read) == count) is (len(text) <= 10_000)


@pytest.mark.parametrize("text", ["a\n1,2\n", "a,a\n1,2\n", "a\n" + "x" * 10_000])
def test_what_is_no_table_is_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"header|too large"):
        rows(tmp_path, text)
