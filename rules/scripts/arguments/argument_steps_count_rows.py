"""Steps of the schedule are counted in rows.

The script computes the warm-up or the length of its schedule from the number of rows. A step takes
a whole batch of them, so the number is too large by the size of the batch: the warm-up may last
longer than the run, and the learning rate never comes near its value. No error is raised.

Remedy: divide by the rows of a step, `per_device_train_batch_size * gradient_accumulation_steps`
and the number of GPUs, or set `warmup_ratio` instead.

Versions: any. Reported are `warmup_steps`, `num_warmup_steps` and `num_training_steps` that are
computed from `len` of a data set and divided by nothing, where a batch has more than one row. What
a function of the script computes of it is not known.

Seen: reproduced with SFT of trl 0.24.0 and 1.16.0: 240 rows in batches of eight are 30 steps, and
`warmup_steps=int(0.3 * len(dataset))` is 72: the run ends in its warm-up.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.script.syntax.steps import rows_for_steps

from ..._recorded.scripts import script

BATCH = ("per_device_train_batch_size", "gradient_accumulation_steps")


def check(facts: Facts) -> Iterator[Finding]:
    counted = facts[rows_for_steps]
    if not counted or [facts.run.number(key) for key in BATCH] in ([1, 1], [1, None]):
        raise NotConcerned("the script computes no number of steps from its rows, or takes one row "
                           "in each step")  # fmt: skip
    for number in counted:
        yield Finding(
            number.place,
            f"{number.limit} counts steps, and {number.what} counts rows: a step takes a whole "
            "batch of rows, so the number is too large",
            remedy=f"divide by {' * '.join(BATCH)}",
        )


def _script(steps: str, batch: str = "") -> dict[str, str]:
    total = "total = len(rows) * 2\n"
    return script("SFT", "model='org/m'", f"warmup_steps={steps}{batch}", total)


TRL = {"trl": "1.16.0"}
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            _script("int(0.1 * total)"),
            "train.py",
            TRL,
            says="warmup_steps counts steps, and int(0.1 * total) counts rows",
        ),
        Bad(_script("len(rows)"), "train.py", TRL, says="and len(rows) counts rows"),
        Good(_script("int(0.1 * total // 8)"), "train.py", TRL),
        Good(_script("100"), "train.py", TRL),
        Good(_script("10 if len(rows) > 99 else 0"), "train.py", TRL),
        Good(_script("min(100, len(rows))"), "train.py", TRL),
        Good(_script("count(len(rows), 8)"), "train.py", TRL),
        Good(_script("total >> 3"), "train.py", TRL),
        Good(_script("len(rows)", ", per_device_train_batch_size=1"), "train.py", TRL),
    ),
)
