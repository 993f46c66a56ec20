"""The collator replaces the labels of the script.

The rows come with `labels` that leave out the prompt (-100), but the collator that SFTTrainer takes
by itself makes labels anew from `input_ids`. The prompts are then trained on, too, and the script's
masks have no effect. No error is raised.

Remedy: pass a collator that keeps labels: `data_collator=DataCollatorForSeq2Seq(tokenizer)`; or
give rows with `prompt` and `completion`, which newer releases mask themselves.

Versions: SFT of trl up to 0.17, whose collator is DataCollatorForLanguageModeling of transformers.

Seen: reproduced with SFT of trl 0.15.2: rows whose labels have the answer only, and
batches with a loss on every token.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.data import training_rows
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import trainer

from ..._recorded.step import SFT, TRL, trained


def check(facts: Facts) -> Iterator[Finding]:
    labels = facts[training_rows].labels
    if labels.targets is None:
        raise NotConcerned("this trainer has no labels")
    if not labels.overwritten:
        return
    yield Finding(
        facts.run.place(),
        f"the collator of {trainer(facts)} replaces the labels of {labels.overwritten} of "
        f"{len(labels.targets)} rows: tokens that the script leaves out (-100) are trained on",
    )


RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            SFT,
            versions={"trl": "0.15.2", "transformers": "4.48.3"},
            answers=trained(overwritten=2),
            says="replaces the labels of 2 of 2 rows",
        ),
        Good(SFT, versions=TRL, answers=trained()),
    ),
)
