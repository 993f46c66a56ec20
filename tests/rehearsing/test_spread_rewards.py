"""Equal rewards that are made to differ in a rehearsal."""

from __future__ import annotations

from typing import Any

import pytest

from trl_doctor.probes.rehearsal.trainers.reward_calls.spread_rewards import spread


class Tensor:
    """What a reward function of tensors returns."""

    def tolist(self) -> list[float]:
        return [2.0, 2.0]


@pytest.mark.parametrize(
    ("returned", "given"),
    [
        ([0, 0, 0], [0.0, 0.5, 1.0]),
        ((True, True), [1.0, 2.0]),
        (Tensor(), [2.0, 3.0]),
        ([0.0, 1.0, 0.0], None),
        ([1.0], None),
        ([None, None], None),
        ([float("nan")] * 2, None),
        ({"reward": 1.0}, None),
        (None, None),
    ],
)
def test_equal_rewards_rise(returned: Any, given: list[float] | None) -> None:
    assert spread(returned) == given


@pytest.mark.parametrize("group", [2, 4, 8])
def test_each_group_has_a_better_answer(group: int) -> None:
    """Newer releases put the completions of a prompt side by side, older RLOO every few places."""
    rewards = spread([0.0] * 16)
    assert rewards is not None
    for at in range(16 // group):
        assert len(set(rewards[at * group : (at + 1) * group])) > 1
        assert len(set(rewards[at :: 16 // group])) > 1
