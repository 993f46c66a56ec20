"""Rows begin a turn twice.

The mark that begins a turn occurs twice with nothing between, for example `<|im_start|>assistant`
before each answer and again in the answer. Usually the prompt was rendered with
`add_generation_prompt=True` and the answer was rendered by the chat template too, or the template
was applied twice. The model learns to begin its answers with the mark. No error is raised and the
loss falls.

Remedy: render a conversation once, as a whole, or give the rows as messages and let the trainer
apply the template. If you render prompt and answer yourself, render the answer without its mark.

Versions: any; the rows of the installed trainer are examined, at level tiny and in a rehearsal.

Seen: SimPO#8. Reproduced with CPO of trl 0.24.0, and with DPO and SFT of trl 0.15.2 and 1.16.0, SFT
on messages whose contents were rendered before.
"""

from collections.abc import Iterator
from dataclasses import replace

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.turns import row_turns
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import trainer

from ..._recorded.step import COMPLETIONS, FILES, SFT, TRL, TURNS, answered, trained


def check(facts: Facts) -> Iterator[Finding]:
    turns = facts[row_turns]
    if turns.twice:
        yield Finding(
            facts.run.place(),
            f"{turns.twice} of {turns.rows} rows begin a turn twice: the chat template's "
            f"{turns.head!r}, or the mark of another turn, follows such a mark directly",
            evidence=(f"a row as {trainer(facts)} gives it to the model: …{turns.shown[0]!r}…",),
            remedy="render each conversation once: without add_generation_prompt=True if the "
            "answer was rendered too, and not before a trainer that applies the template itself",
        )


TWICE = replace(TURNS, twice=2, shown=("<|im_start|>assistant\n<|im_start|>assistant\nYes",))
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            SFT,
            versions=TRL,
            answers=trained(turns=TWICE),
            says="2 of 2 rows begin a turn twice: the chat template's '<|im_start|>assistant'",
        ),
        Bad(
            FILES,
            versions=TRL,
            answers=answered(completions=replace(COMPLETIONS, turns=TWICE)),
            says="2 of 2 rows begin a turn twice",
        ),
        Good(SFT, versions=TRL, answers=trained(turns=TURNS)),
        Good(SFT, versions=TRL, answers=trained(turns=None)),
    ),
)
