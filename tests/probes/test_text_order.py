"""Numbers and dates that are ordered as texts, and orders that are meant."""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from trl_doctor.probes.rehearsal.rows import intent
from trl_doctor.probes.rehearsal.rows.records import Records
from trl_doctor.probes.rehearsal.rows.text_order import (
    amount,
    wrong_choice,
    wrong_pairs,
    wrong_turns,
)

Row = Mapping[str, Any]
WORDS = [
    "river",
    "engine",
    "garden",
    "teacher",
    "castle",
    "planet",
    "bridge",
    "winter",
    "doctor",
    "island",
    "market",
    "tower",
]
DRAWN = random.Random(4)


def said() -> str:
    return " ".join(DRAWN.choice(WORDS) for _ in range(8))


LINES: list[Row] = [
    {"talk": talk, "turn": str(turn), "at": f"9:{turn}", "padded": f"{turn:02}", "text": said()}
    for talk in range(6)
    for turn in range(1, 13)
]
RATED: list[Row] = [
    {"question": said(), "answer_a": said(), "answer_b": said(),
     "points_a": str(one), "points_b": str(other)}
    for one, other in (DRAWN.sample(range(1, 30), 2) for _ in range(40))
]  # fmt: skip
VOTED: list[Row] = [{"text": said(), "votes": str(DRAWN.randrange(1, 200))} for _ in range(60)]


def talks(key: str, kind: Any = str) -> list[Row]:
    every = [[line for line in LINES if line["talk"] == talk] for talk in range(6)]
    ordered = [sorted(lines, key=lambda line: kind(line[key])) for lines in every]
    return [{"messages": [{"role": "user", "content": line["text"]} for line in lines]}
            for lines in ordered]  # fmt: skip


def pairs(kind: Any) -> list[Row]:
    found = []
    for row in RATED:
        best, worst = "ab" if kind(row["points_a"]) > kind(row["points_b"]) else "ba"
        found.append({"chosen": row[f"answer_{best}"], "rejected": row[f"answer_{worst}"]})
    return found


@pytest.mark.parametrize(("key", "kind", "wrong"), [
    ("turn", str, True), ("at", str, True), ("turn", int, False), ("padded", str, False),
    ("text", str, False), ("at", lambda text: int(text[2:]), False),
])  # fmt: skip
def test_turns_are_in_the_order_of_their_numbers(key: str, kind: Any, *, wrong: bool) -> None:
    assert bool(wrong_turns(Records([LINES]), talks(key, kind), None)) is wrong


@pytest.mark.parametrize(("kind", "wrong"), [
    (str, True), (int, False), (lambda text: -int(text), False), (lambda text: text[::-1], False),
])  # fmt: skip
def test_the_better_answer_has_the_higher_number(kind: Any, *, wrong: bool) -> None:
    assert bool(wrong_pairs([RATED], pairs(kind))) is wrong


@pytest.mark.parametrize(("kept", "wrong"), [
    (sorted(VOTED, key=lambda row: row["votes"])[:20], True),
    ([row for row in VOTED if row["votes"] >= "50"], True),
    (sorted(VOTED, key=lambda row: int(row["votes"]))[:20], False),
    ([row for row in VOTED if int(row["votes"]) >= 50], False),
    ([row for row in VOTED if len(row["votes"]) == 2], False),
    (VOTED[:20], False),
    (VOTED, False),
])  # fmt: skip
def test_rows_are_kept_by_their_numbers(kept: list[Row], *, wrong: bool) -> None:
    assert bool(wrong_choice([VOTED], [{"text": row["text"]} for row in kept])) is wrong


def test_numbers_dates_and_times_are_known() -> None:
    assert amount("2024-9-1") == (2024, 9, 1)
    assert amount("9:05") == (9, 5)
    assert amount(" 10 ") == (10,)
    assert amount("v1.2") is amount(10) is amount("1-2") is None


def test_codes_that_the_script_names_are_kept_on_purpose(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    codes = [{"code": str(code), "text": f"The {at}th text of the file, number {at * 37}."}
             for at, code in enumerate([1, 10, 12, 7, 8, 9] * 6)]  # fmt: skip
    kept = [{"text": row["text"]} for row in codes if row["code"] in {"7", "8", "9"}]
    assert wrong_choice([codes], kept)
    file = tmp_path / "train.py"
    file.write_text('WANTED = {"7", "8", "9"}\n')
    monkeypatch.setattr(intent, "own_files", lambda: [str(file)])
    assert not wrong_choice([codes], kept)
