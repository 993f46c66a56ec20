"""The lines of a report: each rule of this project belongs to one of them."""

from __future__ import annotations

from trl_doctor.checkup.discover import discover
from trl_doctor.checkup.subjects import SUBJECTS, counted, subject_of


def test_each_rule_has_a_known_subject() -> None:
    others = {rule.name for rule in discover().rules if subject_of(rule.name) not in SUBJECTS}
    assert others == set()


def test_rules_of_other_packages_have_a_subject_of_their_own() -> None:
    assert subject_of("acme-forbids-adam") == "acme"


def test_a_line_says_if_most_checks_did_not_run() -> None:
    assert counted(5, 28) == "5 checks clear, 28 did not run"
    assert counted(1, 0) == "1 check clear"
    assert counted(17, 2) == "17 checks clear"
