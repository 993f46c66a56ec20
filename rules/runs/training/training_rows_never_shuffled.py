"""The rows come in the same order in each epoch.

The script gives its trainer a data loader of its own, and builds it without `shuffle`. The
trainer's own data loader would draw a new order for each pass over the rows. In one order the same
rows are always together in a batch, and the last rows of the file are always the last: the model
may learn worse than it could, most of all if the file is sorted. No error is raised.

GRPO and RLOO read the rows in their order with `shuffle_dataset=False`. If the rows are sorted by a
column, and `max_steps` ends the run before the last of them, a whole kind of prompts is never read.

Remedy: build the data loader with `shuffle=True`, or leave `get_train_dataloader` to the trainer.
If the order is on purpose, write `shuffle=False`. Leave out `shuffle_dataset=False`, or take as
many steps as the rows need.

Versions: every trl, trainers that shuffle (KTO does not); more than one pass over the rows, or rows
that are sorted by a column. Only a rehearsal sees it. It says nothing about a script that shuffles
or sorts anything itself, or speaks of an order, about a loss of the script's own, which may compare
rows that stand together, and about data that give other rows each time. A kind that is never read
is the value of a column that a tenth of all rows have, and none of those that the steps read.

Seen: modelforge#129. Reproduced with SFT of trl 1.16.0 and 0.24.0: four epochs have one order of
the rows; with `shuffle=True` they have four. unsloth-zoo#832: reproduced with GRPO of trl 1.16.0: 4
steps read 8 of 16 prompts, which are sorted by their topic, and one of two topics is never asked.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings
from trl_doctor.facts.rule import Examples, Rule

WHAT, SORTED = "rows in one order", "rows in blocks"
BUILDS = "{place} builds a data loader without shuffle"
MESSAGES = {
    WHAT: BUILDS + ": the rows come in the same order in each of the {0} passes",
    SORTED: BUILDS + ", and the rows are sorted by their {0}: each batch has rows of one kind",
}


LEFT = {
    "kinds never read": (
        "shuffle_dataset is False, and {0} steps read the first {1} of {2} rows: the {5} rows "
        "whose {3} is {4!r} are never read"
    )
}


def check(facts: Facts) -> Iterator[Finding]:
    yield from mistake_findings(facts, LEFT, remedy="leave out shuffle_dataset=False")
    remedy = "build it with shuffle=True; if the order is on purpose, write shuffle=False"
    yield from mistake_findings(facts, MESSAGES, remedy=remedy)


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake

    says = "train.py:9 builds a data loader without shuffle"
    again = f"{says}: the rows come in the same order in each of the 4 passes"
    blocks = f"{says}, and the rows are sorted by their label: each batch has rows of one kind"
    return (
        mistake(WHAT, ("4",), "train.py:9", again),
        mistake(
            "kinds never read",
            ("4", "8", "16", "topic", "words", "8"),
            "train.py:9",
            "4 steps read the first 8 of 16 rows: the 8 rows whose topic is 'words' are never read",
        ),
        mistake(SORTED, ("label",), "train.py:9", blocks),
        no_mistake(),
    )


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
