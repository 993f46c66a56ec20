"""The reasons of checks that did not run, in few lines."""

from __future__ import annotations

from trl_doctor.facts.measured.rehearsal import NO_TRAINER
from trl_doctor.reports.skip_reasons import by_cause


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


def test_a_reason_is_said_once_and_not_again_if_the_verdict_says_it() -> None:
    absent = "org/m is not in the local cache and --offline was given: run `hf download org/m`"
    reasons = {absent: ["a", "b"], f"org/m: {absent}": ["c"], "no GPU": ["d"]}
    assert by_cause(reasons) == {absent: ["a", "b", "c"], "no GPU": ["d"]}
    lacking = (f"the policy model could not be examined: {absent}",)
    said = "the policy model could not be examined, as the verdict says"
    assert by_cause(reasons, lacking) == {said: ["a", "b", "c"], "no GPU": ["d"]}
    short = {"no trainer": ["a"]}
    assert by_cause(short, ("the policy model could not be examined: no trainer",)) == short
