"""Rows begin with two bos tokens.

The texts already begin with the bos token, or the chat template writes it, and the tokenizer puts
another one before them. The model has not seen two of them in its training, and answers worse. No
error and no number of the log shows it.

Remedy: remove the token from the beginning of the texts, or tokenize what a template has rendered
with `add_special_tokens=False`. If the trainer renders the rows, upgrade trl: newer releases add no
second one.

Versions: any; the rows of the installed trainer are examined.

Seen: trl#1400, open-r1#462, OpenRLHF#393. Reproduced: SFT with trl 1.16.0 on texts that begin with
<s>; GRPO with trl 1.16.0 on prompts that are texts and begin with <s>; SFT on conversations with
trl 0.15.2, where the template writes <s>.
"""

from collections.abc import Iterator
from dataclasses import replace

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.beginnings import row_beginnings
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import trainer
from trl_doctor.probes.answers.rows import Beginnings

from ..._recorded.step import COMPLETIONS, FILES, SFT, TRL, answered, trained


def check(facts: Facts) -> Iterator[Finding]:
    beginnings = facts[row_beginnings]
    begins = beginnings.begins
    if not begins.twice:
        return
    writer = (
        "the chat template writes it" if beginnings.conversational else "the texts begin with it"
    )
    yield Finding(
        facts.run.place(),
        f"{begins.twice} of {begins.rows} rows begin with {begins.bos} twice: {writer}, and "
        "the tokenizer puts it before each text",
        evidence=(f"as {trainer(facts)} gives them to the model",),
        remedy="upgrade trl: newer releases add no second one"
        if beginnings.conversational
        else f"remove {begins.bos} from the beginning of the texts, or tokenize them with "
        "add_special_tokens=False",
    )


ONCE = Beginnings(bos="<s>", adds=True, rows=2, without=0, twice=0)
TWICE = replace(ONCE, twice=2)
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            SFT,
            versions=TRL,
            answers=trained(begins=TWICE),
            says="2 of 2 rows begin with <s> twice: the chat template writes it",
        ),
        Bad(
            FILES,
            versions=TRL,
            answers=answered(completions=replace(COMPLETIONS, begins=TWICE), conversational=False),
            says="2 of 2 rows begin with <s> twice: the texts begin with it",
        ),
        Good(SFT, versions=TRL, answers=trained(begins=ONCE)),
        Good(SFT, versions=TRL, answers=trained()),
    ),
)
