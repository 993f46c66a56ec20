"""Rows have text outside of their turns.

A token ends a turn, and text follows it that no mark begins. Usually the prompt was rendered
without `add_generation_prompt=True` and the answer is plain text. The model learns to answer where
no answer begins, but at generation the prompt ends with the mark of an answer, which the model has
not seen there. No error is raised and the loss falls.

Remedy: give the rows as messages and let the trainer apply the chat template, or render the prompt
with `add_generation_prompt=True`.

Versions: any; the rows of the installed trainer are examined, at level tiny and in a rehearsal.

Seen: reproduced with DPO of trl 0.15.2 and 1.16.0 on prompts that
`apply_chat_template` rendered without `add_generation_prompt`.
"""

from collections.abc import Iterator
from dataclasses import replace

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.turns import row_turns
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import trainer

from ..._recorded.step import SFT, TRL, TURNS, trained


def check(facts: Facts) -> Iterator[Finding]:
    turns = facts[row_turns]
    if turns.outside:
        yield Finding(
            facts.run.place(),
            f"{turns.outside} of {turns.rows} rows have text behind {turns.end} that no mark of a "
            "turn begins",
            evidence=(f"a row as {trainer(facts)} gives it to the model: …{turns.shown[-1]!r}…",),
            remedy="render prompts with add_generation_prompt=True, or give the rows as messages",
        )


OUTSIDE = replace(TURNS, outside=2, shown=("Two?<|im_end|>\nYes<|im_end|>",))
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            SFT,
            versions=TRL,
            answers=trained(turns=OUTSIDE),
            says="2 of 2 rows have text behind <|im_end|> that no mark of a turn begins",
        ),
        Good(SFT, versions=TRL, answers=trained(turns=TURNS)),
        Good(SFT, versions=TRL, answers=trained(turns=None)),
    ),
)
