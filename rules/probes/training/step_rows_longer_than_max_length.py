"""Rows are longer than max_length: nothing cuts them.

The run sets `max_length`, but its batches have longer rows. SFTTrainer cuts rows only where it
prepares them itself. It prepares none with `skip_prepare_dataset`, and a data collator of the
script's own makes its tokens later, from the texts. There is no warning. A long row then takes the
memory that it takes, and a run that fits on short rows dies on the first long one.

Remedy: cut where the tokens are made: `tokenizer(…, truncation=True, max_length=…)` in the collator
or in `dataset.map`. Or leave `max_length` out, if the rows are to be whole.

Versions: every release of trl with SFTTrainer. Packed rows are not judged, nor a `max_length` that
the run does not set.

Seen: trl#2242. Reproduced with trl 1.16.0: `max_length=24`, a collator that applies the chat
template, and batches of 40 tokens.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.data import training_rows
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer, trainer

from ..._recorded.candidate import CONFIG, RUN, TOKENIZER, candidate
from ..._recorded.step import SFT, TRL, trained

KEYS = ("max_length", "max_seq_length")
REMEDY = (
    "cut where the tokens are made: tokenizer(…, truncation=True, max_length=…) in the data "
    "collator or in dataset.map"
)


def check(facts: Facts) -> Iterator[Finding]:
    if known_trainer(facts) != "sft":
        raise NotConcerned("only SFT is to cut rows")
    key = next((key for key in KEYS if facts.run.arguments.get(key) is not None), None)
    if key is None:
        raise NotConcerned("the run sets no max_length")
    rows = facts[training_rows]
    labels = rows.labels
    if rows.generated:
        raise Unavailable("the run's rows are not on this machine")
    if labels.packed or not labels.longer:
        return
    yield Finding(
        facts.run.place(key),
        f"{key} is {labels.max_length}, and {len(labels.longer)} of the first {labels.rows} rows "
        f"of {trainer(facts)} are longer: nothing cuts them, max_length has no effect on them",
        (f"the longest has {max(labels.longer)} tokens",),
        remedy=REMEDY,
    )


SET = candidate({**RUN, "trainer": "sft", "max_length": 24}, TOKENIZER, CONFIG)
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            SET,
            versions=TRL,
            answers=trained(max_length=24, full=2, longer=(40, 31)),
            says="max_length is 24, and 2 of the first 2 rows of SFTTrainer of trl 1.16.0 are",
        ),
        Good(SET, versions=TRL, answers=trained(max_length=24, full=2)),
        Good(SET, versions=TRL, answers=trained(max_length=24, longer=(40,), packed=True)),
        Good(SFT, versions=TRL, answers=trained(full=2, longer=(4000,))),
        Good(
            SET,
            versions=TRL,
            answers=trained({"rows_from": "made"}, max_length=24, longer=(40,)),
            skipped="the run's rows are not on this machine",
        ),
    ),
)
