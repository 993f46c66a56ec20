"""Rows begin without the bos token that the tokenizer adds.

The model has seen this token before every text in its training. Without it Gemma answers with
garbage, and others answer worse. The trainer tokenizes the texts without special tokens, and gives
no warning.

Remedy: write the token at the beginning of each text, or upgrade trl: from 0.26 on GRPO and RLOO
add it to prompts that are texts. Conversations are not affected: their template decides.

Versions: any; the rows of the installed trainer are examined.

Seen: trl#3520. Reproduced: GRPO with trl 0.24.0 and 0.15.2 on prompts that are texts, with a
tokenizer that adds <s>; with 1.16.0 they begin with <s>.
"""

from collections.abc import Iterator
from dataclasses import replace

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.beginnings import row_beginnings
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import trainer
from trl_doctor.probes.answers.rows import Beginnings

from ..._recorded.step import COMPLETIONS, FILES, TRL, answered


def check(facts: Facts) -> Iterator[Finding]:
    beginnings = facts[row_beginnings]
    begins = beginnings.begins
    if beginnings.conversational or not begins.adds:
        raise NotConcerned("a chat template, or nothing, writes the bos token")
    if begins.without < begins.rows:
        return
    yield Finding(
        facts.run.place(),
        f"{trainer(facts)} gives the model texts without {begins.bos}, which the tokenizer puts "
        "before a text",
        evidence=(f"{begins.without} of {begins.rows} rows begin without it",),
        remedy=f"write {begins.bos} at the beginning of each text, or upgrade trl",
    )


WITHOUT = Beginnings(bos="<s>", adds=True, rows=2, without=2, twice=0)
TEXTS = {"conversational": False}
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            FILES,
            versions={"trl": "0.24.0", "transformers": "4.57.6"},
            answers=answered(completions=replace(COMPLETIONS, begins=WITHOUT), **TEXTS),
            says="GRPOTrainer of trl 0.24.0 gives the model texts without <s>",
        ),
        Good(
            FILES,
            versions=TRL,
            answers=answered(
                completions=replace(COMPLETIONS, begins=replace(WITHOUT, without=0)), **TEXTS
            ),
        ),
        Good(
            FILES,
            versions=TRL,
            answers=answered(
                completions=replace(COMPLETIONS, begins=replace(WITHOUT, adds=False)), **TEXTS
            ),
        ),
        Good(FILES, versions=TRL, answers=answered()),
    ),
)
