"""Three real steps with the real weights at the run's own sizes: memory by part, and time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .answers.full import FullAnswer
from .step import files_kept, prepared
from .watching.optimizer_steps import OptimizerWatch
from .watching.optimizers import steps


def answer(request: dict[str, Any]) -> FullAnswer:
    """What the steps held and how long they took. Running out of memory is an answer, too."""
    layout, repeat = prepared(request)
    watch = OptimizerWatch(request["device"])
    with files_kept(request), steps(watch.before, watch.after):
        trainer = repeat.build()
        watch.begin()
        repeat.step(trainer)
        parts, peak = watch.parts(trainer), watch.peak()
    args = trainer.args
    return FullAnswer(
        parts=parts,
        peak=peak.held,
        reserved=peak.reserved,
        total=peak.total,
        device=peak.device,
        seconds_by_step=tuple(watch.seconds()),
        held_after_steps=tuple(watch.left),
        trainer=layout.plan.class_name,
        architecture=layout.tiny.architecture,
        rows_from=layout.rows.source,
        changed=layout.arguments.changed,
        batch=args.per_device_train_batch_size * args.gradient_accumulation_steps,
        generations=getattr(args, "num_generations", None),
        epochs=float(getattr(args, "num_train_epochs", 0) or 0),
        rows_there=_rows(request["data"]["files"]),
        used=watch.used,
    )


def _rows(files: list[str]) -> int | None:
    """How many rows a file of lines has; None where they are not counted."""
    if not files or not files[0].endswith((".jsonl", ".ndjson")):
        return None
    with Path(files[0]).open("rb") as lines:
        return sum(1 for line in lines if line.strip())
