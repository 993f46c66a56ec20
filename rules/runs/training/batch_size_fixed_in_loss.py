"""The script's own loss needs full batches.

The script's `compute_loss` writes the size of a batch into a shape, for example with
`view(self.args.per_device_train_batch_size, -1)`. The last batch of an epoch has fewer rows, if the
rows do not divide: the run dies there, or the numbers of several rows are mixed.

Remedy: take the size from the batch: `labels.size(0)`. Or set `dataloader_drop_last=True`.

Versions: SFT, RewardTrainer and `Trainer` with a `compute_loss` of the script. A rehearsal calls it
with a batch of one row more. Not reported with `dataloader_drop_last`.

Seen: reproduced with SFT of trl 1.16.0: 44 rows in batches of 8 end with a RuntimeError in the last
step of the epoch.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import slip_findings
from trl_doctor.facts.rule import Examples, Rule

MESSAGE = (
    "the script's own loss fails on a batch of another size, as the last one of an epoch may have: "
    "{0}"
)
REMEDY = "take the number of rows from the batch"


def check(facts: Facts) -> Iterator[Finding]:
    yield from slip_findings(facts, {"loss of full batches": MESSAGE}, remedy=REMEDY)


def examples() -> Examples:
    from ..._recorded.rehearsal import slipped, without_slips

    says = "the script's own loss fails on a batch of another size"
    return slipped(
        "loss of full batches", ("RuntimeError: an invalid shape",), "train.py:30", says
    ), without_slips()


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
