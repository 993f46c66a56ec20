"""Rows in a fixed order of which the steps of the run read the first ones, and no other kinds."""

from __future__ import annotations

import contextlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...record import Mistake, of_the_job
from ...rows.intent import says
from .. import configs
from .row_order import NUMBERS, STAGES

MOST_KINDS, SHARE, READ = 20, 0.1, 0.1
"""Kinds of a column, the share of the rows of one, and that of all rows that are read."""

USUAL = {"per_device_train_batch_size": 8, "gradient_accumulation_steps": 1,
         "num_generations": 8, "num_iterations": 1}  # fmt: skip
"""The defaults of the arguments that say how many prompts a step reads."""


ON_PURPOSE = re.compile(r"curricul|difficult|\beas(?:y|ier|iest)\b|progressive|\bhard", re.I)
"""What a script says that begins with some rows on purpose."""


def not_reached(arguments: Mapping[str, Any]) -> Iterator[Mistake]:
    """A kind of rows that GRPO never reads: they are not shuffled, and the steps are too few."""
    own = getattr(arguments.get("args"), configs.OWN, None) or {}
    rows: Any = arguments.get("train_dataset")
    if own.get("shuffle_dataset") is not False or not hasattr(rows, "__len__") or says(ON_PURPOSE):
        return
    with contextlib.suppress(Exception):  # arguments that are no numbers, rows of another kind
        read, steps = _read(own), own["max_steps"]
        if steps > 0 and READ * len(rows) <= read < len(rows):
            names = getattr(rows, "column_names", ())
            for name in (one for one in names if not (NUMBERS.search(one) or STAGES.search(one))):
                if kind := _left(rows[name], read):
                    words = [str(steps), str(read), str(len(rows)), name, *kind]
                    yield Mistake("kinds never read", words)
                    return


def _read(own: Mapping[str, Any]) -> int:
    """The prompts that the steps read."""
    size, steps, number, again = (own.get(name, usual) for name, usual in USUAL.items())
    return int(own["max_steps"] * size * steps * of_the_job() // (number * again))


def _left(column: Sequence[Any], read: int) -> list[str]:
    """The commonest value that only rows behind the first ones have, and their number."""
    values = [*column]
    if not all(isinstance(value, (str, int)) for value in values):
        return []
    kinds, first = Counter(values), {*values[:read]}
    left = [(count, str(value)) for value, count in kinds.items() if value not in first]
    left = [one for one in left if one[0] >= SHARE * len(values)]
    if len(kinds) > MOST_KINDS or not left:
        return []
    count, value = max(left)
    return [value, str(count)]
