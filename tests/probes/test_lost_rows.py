"""What is lost between the rows that a script reads and those that it trains on."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from trl_doctor.probes.rehearsal.rows.lost import losses
from trl_doctor.probes.rehearsal.rows.sources import of_files

Rows = list[dict[str, Any]]
WORDS = ("Käse", "Größe", "Mädchen", "Straße", "Bücher")
READ: Rows = [
    {
        "system": ("Be kind.", "Be short.", "Be kind.")[n % 3],
        "question": f"Wo liegt {WORDS[n % 5]} Nummer {n} im alten Haus?",
        "answer": f"Im Zimmer {n + 2} steht {WORDS[n % 5]} neben der Lampe.",
        "code": f"def add_numbers(value):\n    total = value + {n}\n    return [total * 2]",
    }
    for n in range(60)
]


def trained(clean: Callable[[str], str], column: str = "answer") -> Rows:
    """The rows of a trainer, made of what was read."""
    return [
        {"messages": [
            {"role": "user", "content": clean(row["question"])},
            {"role": "assistant", "content": clean(row[column])},
        ]}
        for row in READ
    ]  # fmt: skip


def kinds(read: list[Rows], rows: Any) -> list[str]:
    return [mistake.words[0] for mistake in losses([list(part) for part in read], rows)]


@pytest.mark.parametrize(
    ("clean", "column", "expected"),
    [
        (lambda text: text, "answer", []),
        (lambda text: text.lower().strip(), "answer", []),
        (lambda text: re.sub(r"[^\w\s]", "", text), "answer", []),
        (lambda text: re.sub(r"[0-9]+", "<NUM>", text), "answer", []),
        (lambda text: text, "code", []),
        (lambda text: text.encode("ascii", "ignore").decode(), "answer",
         ["letters outside of ASCII"]),
        (lambda text: re.sub(r"[^a-zA-ZäöüßÄÖÜ .]", "", text), "answer", ["digits"]),
        (lambda text: " ".join(text.split()), "code", ["the indentation of lines"]),
        (lambda text: re.sub(r"[^\w\s]", "", text), "code", ["brackets and operators"]),
    ],
)  # fmt: skip
def test_characters_that_all_texts_have_lost(
    clean: Callable[[str], str], column: str, expected: list[str]
) -> None:
    assert kinds([READ], trained(clean, column)) == expected


def test_texts_that_the_data_have_in_both_forms_are_chosen() -> None:
    read = [{**row, "plain": row["answer"].encode("ascii", "ignore").decode()} for row in READ]
    rows = [{"text": row["plain"]} for row in read]
    assert kinds([read], rows) == []


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("The river is long [{n}] and the town is old.[{n}]", r"\[\d+\]"),
        ("The **river** is *long* and [the town](http://a.b/{n}) is old.",
         r"\*+|\]\([^)]*\)|\["),
        ("   The river is long,\n  and the town\n\n    is number {n}.", r"(?m)^ +"),
        ("<p>The river</p><br/> is long, see https://a.b/c?d={n} for the town.",
         r"<[^>]+>|http\S+"),
    ],
)  # fmt: skip
def test_marks_and_sources_may_be_gone(text: str, clean: str) -> None:
    read = [{"text": f"{text} {WORDS[n % 5]}".replace("{n}", str(n))} for n in range(20)]
    rows = [{"text": re.sub(clean, "", row["text"])} for row in read]
    assert kinds([read], rows) == []


def test_a_few_texts_are_no_rule() -> None:
    rows = trained(lambda text: text)
    rows[0] = {"text": READ[0]["answer"].encode("ascii", "ignore").decode()}
    assert kinds([READ], rows) == []


def dropped(rows: Rows, read: Rows = READ) -> list[list[str]]:
    found = losses([list(read)], rows)
    return [mistake.words for mistake in found if mistake.what == "rows dropped"]


def test_rows_that_are_dropped_as_duplicates() -> None:
    rows = trained(lambda text: text)
    assert dropped([rows[0], rows[1]]) == [["2", "60", "system"]]
    assert dropped([rows[-1], rows[-2]]) == [["2", "60", "system"]]
    assert dropped([rows[4], rows[9]]) == []
    assert dropped(rows[:10]) == []
    one = [{**row, "system": "Be kind."} for row in READ]
    assert dropped(rows[:1], one) == [["1", "60", "system"]]


def test_answers_of_one_question_may_be_dropped() -> None:
    read = [{**row, "question": f"Wo liegt Nummer {n % 3} im alten Haus?"}
            for n, row in enumerate(READ)]  # fmt: skip
    rows = [{"prompt": row["question"], "completion": row["answer"]} for row in read[:3]]
    assert dropped(rows, read) == []


def test_streams_and_other_objects_are_not_judged() -> None:
    assert kinds([READ], iter(trained(str))) == []
    assert kinds([], trained(str)) == []
    assert kinds([READ], [1, 2]) == []


def test_files_of_rows_are_read_and_others_are_not(tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    for name in ("config.json", "vocab.json"):
        (tmp_path / "model" / name).write_text("[{}, {}, {}, {}, {}, {}, {}, {}, {}]")
    (tmp_path / "rows.csv").write_text("a,b\n" + "1,2\n" * 9, encoding="utf-8-sig")
    (tmp_path / "rows.json").write_text("not json")
    files = [tmp_path / "model/vocab.json", tmp_path / "rows.csv", tmp_path / "rows.json",
             tmp_path / "rows.csv", tmp_path / "none.json"]  # fmt: skip
    assert of_files(files) == [[{"a": "1", "b": "2"}] * 9]
