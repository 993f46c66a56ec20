"""The processes that load the rows cannot be started.

With `dataloader_num_workers` above 0, processes of their own load the rows and call the collator.
Where they begin as a new Python ("spawn": macOS, Windows, or a script that sets it; "forkserver":
Linux from Python 3.14 on), both are sent to them by pickle. A lambda, or a function or class that
is defined inside another function, cannot be pickled: the run ends before its first step.

Remedy: define the collator at the top of the file, as a function or a class with `__call__`, and
bind its arguments by `functools.partial`. Or set `dataloader_num_workers: 0`.

Versions: every release. A rehearsal itself loads the rows without such processes, and pickles what
they would get.

Seen: HazyResearch/cartridges#20. Reproduced with SFT of trl 1.16.0, a lambda as collator, one
worker and "spawn": "Can't get local object 'train.<locals>.<lambda>'"; without workers it trains.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings
from trl_doctor.facts.rule import Examples, Rule

MESSAGES = {
    "data_collator": "dataloader_num_workers starts processes by {0}, and the collator cannot be "
    "sent to them: {1}",
    "train_dataset": "dataloader_num_workers starts processes by {0}, and the rows cannot be sent "
    "to them: {1}",
}
REMEDY = "define it at the top of the file (no lambda), or set dataloader_num_workers to 0"


def check(facts: Facts) -> Iterator[Finding]:
    yield from mistake_findings(facts, MESSAGES, remedy=REMEDY)


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake

    error = "PicklingError: Can't pickle a lambda"
    said = "starts processes by spawn, and the collator cannot be sent to them: PicklingError"
    return (
        mistake("data_collator", ("spawn", error), "train.py:40", said),
        mistake(
            "train_dataset", ("spawn", error), "train.py:40", "the rows cannot be sent to them"
        ),
        no_mistake(),
    )


RULE = Rule(doc=__doc__, severity="error", check=check, examples=examples)
