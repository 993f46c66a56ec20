"""Rows end with the beginning of an answer.

The last thing in a row is the mark that begins an answer, for example `<|im_start|>assistant`, and
no answer follows. Usually whole conversations were rendered with `add_generation_prompt=True`. The
model learns to write that mark behind each answer, and the end of the text behind the mark: its
answers go on with another turn, or with an empty one. No error is raised and the loss falls.

Remedy: render conversations for training without `add_generation_prompt=True`, or give the rows as
messages and let the trainer apply the chat template.

Versions: any; the rows of the installed trainer are examined, at level tiny and in a rehearsal.
Prompts that a trainer generates from end so, and are not reported.

Seen: reproduced with SFT of trl 0.24.0 and 1.16.0: the text column was rendered with
`add_generation_prompt=True`, and each row of the trainer's batch ends with the mark.
"""

from collections.abc import Iterator
from dataclasses import replace

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.step import stepped
from trl_doctor.facts.measured.turns import row_turns
from trl_doctor.facts.rule import Bad, Good, Rule

from ..._recorded.step import COMPLETIONS, FILES, SFT, TRL, TURNS, answered, trained


def check(facts: Facts) -> Iterator[Finding]:
    turns, step = facts[row_turns], facts.get(stepped)
    if step and step.completions:
        raise NotConcerned("the model generates what follows its prompts")
    if turns.open_at_end * 2 > turns.rows:
        yield Finding(
            facts.run.place(),
            f"{turns.open_at_end} of {turns.rows} rows end with {turns.head!r}: "
            "the model learns to begin another answer behind each answer",
            remedy="render the rows without add_generation_prompt=True, or give them as messages",
        )


RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            SFT,
            versions=TRL,
            answers=trained(turns=replace(TURNS, open_at_end=2)),
            says="2 of 2 rows end with '<|im_start|>assistant'",
        ),
        Good(SFT, versions=TRL, answers=trained(turns=TURNS)),
        Good(SFT, versions=TRL, answers=trained(turns=replace(TURNS, open_at_end=1))),
        Good(
            FILES,
            versions=TRL,
            answers=answered(completions=replace(COMPLETIONS, turns=replace(TURNS, open_at_end=2))),
        ),
    ),
)
