"""Labels of other records, and rows that have another label than their record on purpose."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from test_text_order import WORDS, Row

from trl_doctor.probes.rehearsal.rows.labels.label_rows import labels_apart
from trl_doctor.probes.rehearsal.rows.records import Records


def reviews(count: int = 60) -> list[Row]:
    drawn = random.Random(3)
    return [
        {
            "text": f"The {' '.join(drawn.choice(WORDS) for _ in range(8))} was fine.",
            "label": drawn.choice(("good", "bad")),
            "lang": drawn.choice(("en", "de")),
            "votes": drawn.randrange(200),
        }
        for _ in range(count)
    ]


def rows(texts: list[Row], labels: list[Any]) -> list[Row]:
    return [{"prompt": f"{one['text']} It is", "completion": f" {label}"}
            for one, label in zip(texts, labels, strict=False)]  # fmt: skip


def shuffled(values: list[Any]) -> list[Any]:
    return random.Random(1).sample(values, len(values))


def of(records: list[Row], name: str = "label") -> list[Any]:
    return [record[name] for record in records]


def kept(records: list[Row]) -> list[Row]:
    return [record for at, record in enumerate(records) if at % 6]


MIXED: dict[str, Callable[[list[Row]], list[Row]]] = {
    "texts filtered": lambda every: rows(kept(every), of(every)),
    "texts shuffled": lambda every: rows(shuffled(every), of(every)),
    "filtered, then shuffled": lambda every: shuffled(rows(kept(every), of(every))),
    "a classifier": lambda every: [
        {"text": one["text"], "label": int(label == "good")}
        for one, label in zip(shuffled(every), of(every), strict=True)
    ],
    "scores of other texts": lambda every: [
        {"text": one["text"], "labels": float(votes)}
        for one, votes in zip(shuffled(every), of(every, "votes"), strict=True)
    ],
    "labels shuffled": lambda every: [
        {"text": one["text"], "label": label}
        for one, label in zip(every, shuffled(of(every)), strict=True)
    ],
}
MEANT: dict[str, Callable[[list[Row]], list[Row]]] = {
    "both filtered": lambda every: rows(kept(every), of(kept(every))),
    "both shuffled": lambda every: shuffled(rows(every, of(every))),
    "another column": lambda every: rows(every, of(every, "lang")),
    "a number's range": lambda every: rows(every, [n > 90 for n in of(every, "votes")]),
    "of the text": lambda every: rows(every, [len(text) > 60 for text in of(every, "text")]),
    "in turns": lambda every: rows(every, ["yes", "no"] * 30),
    "a few relabelled": lambda every: rows(
        every, ["bad" if at % 8 == 0 else label for at, label in enumerate(of(every))]
    ),
    "sorted together": lambda every: rows(sorted(every, key=lambda one: one["label"]),
                                          sorted(of(every))),
    "free answers": lambda every: rows(every, [f"answer {at}" for at in range(60)]),
    "own scores": lambda every: [{"text": one["text"], "labels": float(one["votes"])}
                                 for one in shuffled(every)],
    "scores made smaller": lambda every: [{"text": one["text"], "labels": one["votes"] / 200}
                                          for one in shuffled(every)],
    "scores of a model": lambda every: [{"text": one["text"], "labels": len(one["text"]) / 7}
                                        for one in every],
    "few rows": lambda every: rows(shuffled(every)[:12], of(every)[:12]),
}  # fmt: skip


@pytest.mark.parametrize("made", MIXED.values(), ids=MIXED)
def test_labels_of_other_records_are_seen(made: Callable[[list[Row]], list[Row]]) -> None:
    every = reviews()
    words = labels_apart(Records([every]), made(every), None)
    assert words is not None and int(words[0]) > 15, words


@pytest.mark.parametrize("made", MEANT.values(), ids=MEANT)
def test_labels_that_are_meant_are_left_alone(made: Callable[[list[Row]], list[Row]]) -> None:
    every = reviews()
    assert labels_apart(Records([every]), made(every), None) is None


def test_a_file_of_labels_is_joined_by_its_lines() -> None:
    every = reviews()
    texts = [{"text": one["text"] if at % 6 else ""} for at, one in enumerate(every)]
    records = Records([texts, [{"label": label} for label in of(every)]])
    left = [one for one in texts if one["text"]]
    assert labels_apart(records, rows(left, of(every)), None)
    assert labels_apart(records, rows(left, of(kept(every))), None) is None
