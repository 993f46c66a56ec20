"""Runs of GRPO in a wrong and in a healthy form: their rewards, and what these teach."""

from __future__ import annotations

from two_forms.grpo import (
    answers,
    calls,
    classifiers,
    cut_numbers,
    exploited,
    hidden_errors,
    learns,
    nearly_paid,
    objects,
    rewards,
    unpaid,
)

SCRIPTS = (
    *answers.SCRIPTS,
    *calls.SCRIPTS,
    *learns.SCRIPTS,
    *nearly_paid.SCRIPTS,
    *objects.SCRIPTS,
    *rewards.SCRIPTS,
    *unpaid.SCRIPTS,
    *classifiers.SCRIPTS,
    *cut_numbers.SCRIPTS,
    *exploited.SCRIPTS,
    *hidden_errors.SCRIPTS,
)
