"""Totals of the run: rows per step, steps, checkpoints, from its arguments and its data."""

from __future__ import annotations

import math

from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts, dataset
from trl_doctor.facts.measured.rehearsal import rehearsal
from trl_doctor.facts.model.checkpoint import weights
from trl_doctor.facts.rows.own import are_all, made, own_rows
from trl_doctor.facts.training.generations import GROUPED, completions, whole_argument

BITS = {"F64": 64, "I64": 64, "F32": 32, "I32": 32, "F16": 16, "BF16": 16}
"""The bits of a stored number; types that are not listed have 8 or fewer."""


def rows_a_step(facts: Facts) -> int:
    """The rows (for GRPO and RLOO completions) of one optimizer step on all processes."""
    per_device = whole_argument(facts, "per_device_train_batch_size", 8)
    return (
        per_device
        * whole_argument(facts, "gradient_accumulation_steps", 1)
        * (facts.run.processes or 1)
    )


def rows(facts: Facts) -> int:
    """The number of rows of the run's data. Raises `Unavailable` if the data is not local."""
    tried = facts.get(rehearsal)
    if tried and tried.training_rows and tried.training_rows.rows:
        return tried.training_rows.rows
    source = facts.get(made)
    if source is not None and source.total:
        return source.total
    if source is not None and facts.get(are_all):
        return len(facts[own_rows])
    counts = [dataset.lines(file) for file in dataset.files(facts)]
    if not all(counts) or not 0 < len(dataset.names(facts)) == len(counts):
        raise Unavailable("the rows of the data are not here to be counted")
    return sum(counts)


def steps(facts: Facts, rows_each: int) -> int | None:
    """The optimizer steps of the run: as stated, or from the rows of a local file of lines."""
    stated = facts.run.number("max_steps")
    if stated and stated > 0:
        return int(stated)
    count, trainer = facts.get(rows), facts.run.trainer
    if not count:
        return None
    if not isinstance(trainer, Unavailable) and trainer.name in GROUPED:
        count = completions(facts, count)
    epochs = facts.run.number("num_train_epochs") or whole_argument(facts, "num_train_epochs", 3)
    return math.ceil(count / rows_each) * math.ceil(epochs) if epochs >= 1 else None


def known_steps(facts: Facts) -> int:
    """The optimizer steps of the run on its processes, one if it names no number of them.

    Raises `Unavailable` if they are not known: packed rows make other batches.
    """
    if facts.run.flag("packing") and not facts.run.number("max_steps"):
        raise Unavailable("how many steps packed rows make is not known")
    total = steps(facts, rows_a_step(facts))
    if total is None:
        raise Unavailable("how many steps the run has is not known")
    return total


def kept_checkpoints(facts: Facts, rows_each: int) -> tuple[int | None, str]:
    """How many checkpoints exist at the end, and why.

    The number is None if the steps of the run are not known; the text then gives that reason.
    """
    limit = facts.run.number("save_total_limit")
    if limit and limit >= 1:
        return int(limit), f"save_total_limit {int(limit)}"
    number = steps(facts, rows_each)
    if number is None:
        return None, "how many steps the run has is not known"
    every = facts.run.number("save_steps", 500) or 500
    every = every * number if every < 1 else every
    return max(1, int(number // every)), f"{number:,} steps, one every {every:g} (save_steps)"


def stored_checkpoint(facts: Facts) -> tuple[int, str]:
    """The minimum bytes of one checkpoint of the whole model, and what they consist of.

    Raises `NotConcerned` if only an adapter is trained.
    """
    run = facts.run
    if run.flag("use_peft"):
        raise NotConcerned("only an adapter is saved (use_peft)")
    stored = facts.at(run.policy)[weights]
    if not stored.tensors:
        raise Unavailable("the sizes of the weights are not known")
    bits = sum(
        math.prod(tensor.shape) * BITS.get(tensor.dtype, 8) for tensor in stored.tensors.values()
    )
    whole_model = bits // 8
    optimizer = str(run.arguments.get("optim") or "adamw_torch")
    if run.flag("save_only_model") or not optimizer.startswith(("adamw_torch", "adamw_hf")):
        return whole_model, "the weights as they are stored"
    return 3 * whole_model, "the weights as they are stored, and AdamW's two states of each"


TRIAL = 20
"""Steps of a run that tries whether all works."""


def is_trial(facts: Facts, key: str) -> bool:
    """Whether a command line makes the run so short, over a file that has the key."""
    steps = facts.run.number("max_steps") or 0
    apart = facts.run.place("max_steps").file != facts.run.place(key).file
    return 0 < steps <= TRIAL and apart
