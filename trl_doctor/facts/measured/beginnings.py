"""How the rows begin that the real trainer gives to the model."""

from __future__ import annotations

from msgspec import Struct

from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.data import training_rows
from trl_doctor.facts.measured.step import stepped
from trl_doctor.probes.answers.rows import Beginnings, Completions, Labels


class RowBeginnings(Struct, frozen=True):
    """How rows begin, and whether a chat template wrote them."""

    begins: Beginnings
    conversational: bool


def row_beginnings(facts: Facts) -> RowBeginnings:
    """Of the prompts where the trainer generates, else of the rows that it trains on.

    Raises `NotConcerned` if the tokenizer has no bos, `Unavailable` if this is not known.
    """
    rows, conversational = model_rows(facts)
    begins = rows.begins
    if begins is None:
        raise NotConcerned("the tokenizer has no bos token")
    return RowBeginnings(begins, conversational)


def model_rows(facts: Facts) -> tuple[Completions | Labels, bool]:
    """What was seen of the rows that the model gets, and whether a chat template wrote them.

    It is about the prompts if the trainer generates, else about the rows that it trains on.
    """
    step = facts.get(stepped)
    if step and step.completions:
        return step.completions, step.conversational
    rows = training_rows(facts)
    return rows.labels, rows.conversational
