"""The reasons of checks that did not run, in few lines."""

from __future__ import annotations

from trl_doctor.reports.text import NO_TRAINER, by_cause


def test_what_was_not_reached_shares_the_line_of_its_cause() -> None:
    reasons = {
        "the script created no trainer arguments": ["a"],
        NO_TRAINER: ["b", "c"],
        "the rehearsal took no step: an error": ["d"],
        "no NVIDIA driver answers here": ["e"],
    }
    assert by_cause(reasons) == {
        NO_TRAINER: ["a", "b", "c", "d"],
        "no NVIDIA driver answers here": ["e"],
    }


def test_a_rehearsal_that_built_a_trainer_says_each_reason() -> None:
    reasons = {"the rehearsal took no step: an error": ["d"], "the rehearsal did not save": ["e"]}
    assert by_cause(reasons) == reasons
