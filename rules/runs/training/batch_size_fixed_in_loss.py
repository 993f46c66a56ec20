"""The script's own loss needs full batches.

The script's `compute_loss`, or its collator, needs as many rows as a batch has, for example with
`view(self.args.per_device_train_batch_size, -1)`. The last batch of an epoch has fewer rows, if the
rows do not divide: the run dies there, or the numbers of several rows are mixed.

Remedy: take the size from the batch: `labels.size(0)`. Or set `dataloader_drop_last=True`.

Versions: SFT, RewardTrainer and `Trainer` with a `compute_loss` or a collator of the script. If a
rehearsal can count the rows of the run, it calls them with a batch as large as the last one, and
what they raise is an error. Otherwise it calls the loss with one row more, and this is a warning.
Not reported with `dataloader_drop_last`.

Seen: reproduced with SFT of trl 1.16.0: 44 rows in batches of 8 end with a RuntimeError in the last
step of the epoch; so do 403 rows with a collator that joins pairs of rows.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings
from trl_doctor.facts.rule import Examples, Rule

MESSAGE = (
    "the script's own loss fails on a batch of another size, as the last one of an epoch may have: "
    "{0}"
)
LAST = "the last batch of an epoch has {0} of {1} rows, and the script's own code fails on it: {2}"
REMEDY = "take the number of rows from the batch"


def check(facts: Facts) -> Iterator[Finding]:
    messages = {"loss of full batches": MESSAGE}
    yield from mistake_findings(facts, messages, remedy=REMEDY, severity="warning")
    yield from mistake_findings(facts, {"last batch fails": LAST}, remedy=REMEDY)


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake

    error, place = "RuntimeError: an invalid shape", "train.py:30"
    says = "the script's own loss fails on a batch of another size"
    last = "the last batch of an epoch has 3 of 8 rows, and the script's own code fails on it"
    return (
        mistake("loss of full batches", (error,), place, says, "warning"),
        mistake("last batch fails", ("3", "8", error), place, last),
        no_mistake(),
    )


RULE = Rule(doc=__doc__, severity="error", check=check, examples=examples)
