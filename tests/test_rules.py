"""Holds every rule to its page, its examples and its fixes."""

import pytest

from trl_doctor.checkup.discover import discover
from trl_doctor.facts.rule import Rule
from trl_doctor.testing import hold

RULES = discover().rules


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_rule_keeps_its_word(rule: Rule) -> None:
    hold(rule)


def test_there_are_rules() -> None:
    assert len(RULES) >= 30
