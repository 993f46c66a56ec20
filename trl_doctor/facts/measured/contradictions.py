"""Rows of the run that contradict each other, in its file or as a rehearsal has seen them."""

from __future__ import annotations

from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.measured.rehearsal import rehearsal, rehearsed
from trl_doctor.facts.rows.own import many_rows
from trl_doctor.facts.run_trainer import known_trainer
from trl_doctor.probes.contradictions import Both, Contradictions, Crossed, contradictions

VOTES = ("kto", "bco", "dpo", "orpo", "cpo", "reward")
"""Trainers whose rows say which answer is better."""


def contradicting_answers(facts: Facts) -> Both | None:
    """How many answers are both wanted and not; None for less than half. Raises as `many_rows`.

    Raises `NotConcerned` for trainers without such rows.
    """
    if known_trainer(facts) not in VOTES:
        raise NotConcerned("the rows of this trainer do not say which answer is better")
    if rehearsed(facts):
        words = _words(facts, "answers contradict")
        return Both(*words) if words else None
    return facts[_of_file].both


def crossed_pairs(facts: Facts) -> Crossed | None:
    """How many questions share their several answers; None if few do. Raises as `many_rows`.

    Raises `NotConcerned` for trainers without answers.
    """
    if known_trainer(facts) not in (*VOTES, "sft"):
        raise NotConcerned("the rows of this trainer have no answers")
    if rehearsed(facts):
        words = _words(facts, "pairs crossed")
        return Crossed(*words) if words else None
    return facts[_of_file].crossed


def _of_file(facts: Facts) -> Contradictions:
    """Both of the run's own file, which is read once for them."""
    return contradictions(many_rows(facts))


def _words(facts: Facts, what: str) -> list[int]:
    """The numbers that a rehearsal has seen of a mistake; none if it saw none."""
    seen = facts[rehearsal].mistakes_of(what)
    return [int(word) for word in seen[0].words] if seen else []
