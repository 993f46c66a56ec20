"""Numbers of rows that say how long an answer is to be, and right answers that are numbers."""

from __future__ import annotations

from typing import Any

import pytest

from trl_doctor.probes.answers.rewards import RewardTrial
from trl_doctor.probes.reward_functions import calls, gold_sizes
from trl_doctor.probes.reward_functions.calls import Rewards, Sheet
from trl_doctor.probes.reward_functions.gold_sizes import is_size
from trl_doctor.probes.reward_functions.release import Release

ROWS: list[dict[str, Any]] = [{"prompt": "What?", "target": 30}, {"prompt": "Why?", "target": 44}]
SHEET = Sheet(ROWS, True, Release((), True, True, True, True), False, list)


@pytest.fixture(autouse=True)
def without_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    def called(function: Any, cases: Any, sheet: Sheet) -> Rewards:
        values = [
            function(case.text, sheet.ids(case.text), sheet.rows[case.row]["target"])
            for case in cases
        ]
        return Rewards(values, len(values), [], 0.0)

    monkeypatch.setattr(calls, "called", called)


def judged(reward: Any, sheet: Sheet = SHEET) -> bool:
    texts = [f"{before}{row['target']}" for row in ROWS for before in ("", "The answer is ")]
    values = tuple(
        (at // 2, "gold: sentence", reward(text, [1] * len(text), ROWS[at // 2]["target"]))
        for at, text in enumerate(texts)
    )
    trial = RewardTrial("reward", "returned", values=values)
    return is_size(reward, sheet, "target", trial)


@pytest.mark.parametrize(
    ("reward", "size"),
    [
        (lambda text, ids, wanted: -float(abs(len(text) - wanted)), True),
        (lambda text, ids, wanted: -abs(len(text.split()) - wanted) / wanted, True),
        (lambda text, ids, wanted: 1 / (1 + abs(len(ids) - wanted)), True),
        (lambda text, ids, wanted: float(str(wanted) in text), False),
        (lambda text, ids, wanted: float(str(wanted) in text) + len(text) / 1000, False),
        (lambda text, ids, wanted: -float(len(text)), False),
        (lambda text, ids, wanted: -float(abs(len(text) - 30)), False),
    ],
)
def test_a_number_may_be_a_length(reward: Any, size: bool) -> None:
    assert judged(reward) is size


def test_only_whole_numbers_are_lengths() -> None:
    for cell in ("30", 30.5, True, 2):
        sheet = SHEET._replace(rows=[{**ROWS[0], "target": cell}])
        trial = RewardTrial("reward", "returned", values=((0, "gold: alone", 0.0),))
        assert not gold_sizes.is_size(lambda *_: 1.0, sheet, "target", trial)
