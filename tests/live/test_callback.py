"""The callback says what the first logs show, once, and only where it lasts."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

import trl_doctor

STATE = SimpleNamespace(is_world_process_zero=True)
WRONG = {
    "loss": (float("nan"), 1, "no longer usable"),
    "grad_norm": (0.0, 3, "nothing is learned"),
    "completions/clipped_ratio": (1.0, 3, "run to the length limit"),
    "frac_reward_zero_std": (1.0, 3, "the same reward in three logs"),
    "sampling/sampling_logp_difference/mean": (0.4, 3, "differ from the trainer's by 0.400"),
}
"""A number that a trainer logs: a wrong value, in how many logs, and the message."""


@pytest.mark.parametrize("name", WRONG)
def test_a_lasting_problem_is_reported_once(name: str) -> None:
    value, count, says = WRONG[name]
    callback = trl_doctor.DoctorCallback(fail_on=None)
    for number in range(1, 6):
        callback.on_log(None, STATE, None, logs={name: value, "epoch": 0.1})
        assert len(callback.told) == (number >= count)
    assert says in callback.told[0]


@pytest.mark.parametrize("name", [name for name in WRONG if name != "loss"])
def test_a_passing_problem_is_not_reported(name: str) -> None:
    value, _, _ = WRONG[name]
    callback = trl_doctor.DoctorCallback(fail_on=None)
    for logged in (value, value, 0.01, value, value, "odd", None):
        callback.on_log(None, STATE, None, logs={name: logged})
    assert callback.told == []


def test_only_the_first_process_and_the_first_logs_are_watched() -> None:
    other = SimpleNamespace(is_world_process_zero=False)
    callback = trl_doctor.DoctorCallback(fail_on=None, logs=2)
    for state in (other, STATE, STATE, STATE):
        callback.on_log(None, state, None, logs={"grad_norm": 0.0})
    callback.on_step_end(None, STATE, None)
    assert callback.told == []
