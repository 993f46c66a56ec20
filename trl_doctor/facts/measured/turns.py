"""How the rows that the real trainer gives to the model are divided into turns."""

from __future__ import annotations

from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.beginnings import model_rows
from trl_doctor.probes.answers.rows import Turns


def row_turns(facts: Facts) -> Turns:
    """Of the prompts if the trainer generates, else of the rows that it trains on.

    Raises `NotConcerned` if no chat template marks turns, `Unavailable` if this is not known.
    """
    turns = model_rows(facts)[0].turns
    if turns is None:
        raise NotConcerned("no chat template marks turns")
    return turns
