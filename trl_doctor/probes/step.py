"""One real step of the real trainer, on a small random model of the candidate's architecture."""

from __future__ import annotations

import contextlib
import dataclasses
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from . import gpu_memory
from .alone import place as reward_place
from .answers.error import Error
from .answers.gradients import Gradients
from .answers.rows import Completions, Labels
from .answers.segment import Segment
from .answers.step import Resumed, StepAnswer, StepSeconds
from .child import error_answer, line, module_of
from .layout import pictures
from .layout.argument_tables import GENERATIONS, ROWS
from .layout.arguments import batch_of
from .layout.planning import OFFLINE, TEMPLATE, Laid, laid_out
from .layout.script import script
from .layout.unknown_images import either
from .layout.ways import ENGINE, OWN_SIZES, Way
from .own_code import own_code
from .processing import tokenizer_of
from .refusal import Refused
from .watching import evaluation, saving
from .watching.accumulation import accumulated
from .watching.completions import CompletionWatch
from .watching.first_row import first_prompt, first_row
from .watching.gradients import GradientWatch
from .watching.labels import labels
from .watching.log import logged_first
from .watching.optimizers import steps
from .watching.parts_learned import trained_parts
from .watching.row_losses import row_losses

LARGEST_BATCH = 128
"""Rows of a batch of the run's own size that is still tried."""


def answer(request: dict[str, Any]) -> StepAnswer:
    """One step; an error about a size that was made small counts at the run's own size.

    Such an error is `Refused` where the run's own size is too large to try.
    """
    return either(request, _own_or_small)


def _own_or_small(request: dict[str, Any]) -> StepAnswer:
    """A small step; one of the run's own size where the small one fails because of its sizes."""
    try:
        return taken(request)
    except Refused:
        raise
    except Exception as error:
        if not _of_small_sizes(error, request):
            raise
        own = batch_of(request["arguments"])
        if not 0 < own <= LARGEST_BATCH:
            message = f"with a smaller batch it raises: {line(error)}"
            raise Refused(
                f"whether the run fails with its own sizes is not known: {message}"
            ) from error
    pictures.cleared()
    return taken(request, OWN_SIZES)


def _of_small_sizes(error: Exception, request: dict[str, Any]) -> bool:
    """Whether an error's message gives a number of batches or generations that is the probe's."""
    if request.get("full_size") or not request["trainer"]:
        return False
    numbers = {int(digits) for digits in re.findall(r"\b\d{1,3}\b", str(error))}
    run, about = request["arguments"], re.search(r"batch|generation|whiten", str(error))
    generations = run.get("num_generations", run.get("rloo_k", GENERATIONS))
    changed = batch_of(run) != ROWS or generations != GENERATIONS
    return bool(about) and changed and bool(numbers & {ROWS, GENERATIONS, ROWS * GENERATIONS})


def taken(request: dict[str, Any], way: Way | None = None) -> StepAnswer:
    """Lay the step out in this folder as `repeat.py` and its files, run that, and measure it.

    Whatever the trainer raises goes on; what goes wrong before is `Refused`, as is a step that
    would change the run's files. Where the trainer drops all rows there is no step, and neither
    `loss` nor `gradients`.
    """
    start = time.perf_counter()
    layout, repeat = prepared(request, way)
    start_of_step = time.perf_counter()
    step = _watched(request, layout, repeat)
    seconds = StepSeconds(
        round(start_of_step - start, 3),
        round(step.built - start_of_step, 3),
        round(step.done - step.built, 3),
    )
    return _answer(layout, step, seconds)


@dataclasses.dataclass(frozen=True)
class _Step:
    """A trainer that took its step, and what was seen of it; `built` and `done` are times."""

    trainer: Any
    log: list[Any]
    labels: Labels | None
    first_row: tuple[Segment, ...]
    gradients: Gradients | None
    completions: Completions | None
    not_saved: Error | None
    not_evaluated: Error | None
    resumed: Resumed | None
    built: float
    done: float


def _watched(request: dict[str, Any], layout: Laid, repeat: Any) -> _Step:
    watch = CompletionWatch()
    with files_kept(request), watch.watched():
        trainer = repeat.build()
        built = time.perf_counter()
        counted = labels_of(trainer, layout, request, len(layout.rows.rows))
        row = first_row(trainer) if counted else ()
        gradients = GradientWatch(trainer.model)
        with steps(gradients.before, gradients.after):
            log = [] if counted and not counted.rows else repeat.step(trainer)
        end = time.perf_counter()
        not_saved = saving.not_saved(trainer)
        not_evaluated = evaluation.raised(trainer) if layout.plan.evaluates and log else None
    completions = _completions(watch, layout, request, trainer)
    row = row or first_prompt(tokenizer_of(trainer), watch.prompts)
    resumed = None
    if layout.plan.resumes and log and not not_saved and end - built < saving.PATIENCE:
        with files_kept(request):
            resumed = saving.resumed(trainer, repeat)
    return _Step(
        trainer, log, counted, row, gradients.found, completions, not_saved, not_evaluated, resumed,
        built, end,
    )  # fmt: skip


def _answer(layout: Laid, step: _Step, seconds: StepSeconds) -> StepAnswer:
    tiny, rows, tokenizer = layout.tiny, layout.rows, tokenizer_of(step.trainer)
    logged, loss, wrong = logged_first(step.log)
    return StepAnswer(
        trainer=layout.plan.class_name,
        architecture=tiny.architecture,
        layers=tiny.layers,
        hidden=tiny.hidden,
        parameters=tiny.parameters,
        vocabulary=tiny.vocabulary,
        turn_end_probability=tiny.turn_end_probability,
        rows=len(rows.rows),
        rows_from=rows.source,
        rows_why=rows.why,
        conversational=rows.conversational,
        changed=layout.arguments.changed,
        rewards=tuple(layout.plan.rewards),
        rewards_left_out=layout.rewards.left_out,
        adapter=bool(layout.plan.adapter),
        script_found=layout.plan.habits.found,
        script_pads=layout.plan.habits.pad,
        tokenizer=type(tokenizer).__name__,
        pad=getattr(tokenizer, "pad_token_id", None),
        device=str(getattr(step.trainer.args, "device", "")),
        loss=loss,
        not_finite=tuple(wrong),
        log=logged,
        gradients=step.gradients,
        labels=step.labels,
        completions=step.completions,
        seconds=seconds,
        not_saved=step.not_saved,
        not_evaluated=step.not_evaluated,
        resumed=step.resumed,
        row_losses=row_losses(step.trainer) if step.log else None,
        accumulated=accumulated(step.trainer) if step.log else None,
        first_row=step.first_row,
    )


def prepared(request: dict[str, Any], way: Way | None = None) -> tuple[Laid, Any]:
    """What is in this folder, and the script there, imported: nothing of it runs yet.

    Raises `Refused` if that fails, but for want of memory or disk, or of leave to go further.
    """
    try:
        if request.get("device") == "cuda":
            gpu_memory.limit()
        layout = laid_out(request, Path.cwd(), way)
        Path("repeat.py").write_text(script(layout.plan, small_engine=way is ENGINE), "utf-8")
        with files_kept(request):
            repeat = module_of(str(Path("repeat.py").absolute()), "repeat")
            if layout.plan.own:
                repeat.OWN.update(own_code(request))
            return layout, repeat
    except Refused:
        raise
    except Exception as error:
        about = error_answer(error)
        if about.contained or about.memory or about.disk:
            raise
        raise Refused(f"the step could not be prepared: {line(error)}") from error


@contextlib.contextmanager
def files_kept(request: dict[str, Any]) -> Iterator[None]:
    """While this lasts the run's files are not changed: what cannot go on so is `Refused`."""
    try:
        with reward_place.guarded(reward_place.of_the_run(request)):
            yield
    except Exception as error:
        if not reward_place.held(error, by=(reward_place.Forbidden,)):
            raise
        raise Refused(f"the step would change the run's files: {error!s:.200}") from error


def labels_of(trainer: Any, layout: Laid, request: dict[str, Any], given: int) -> Labels | None:
    """What the trainer made of the `given` rows; None for trainers that generate."""
    if layout.plan.trainer not in OFFLINE:
        return None
    ends = request["ends"]
    turn_end = None if TEMPLATE in layout.plan.arguments else ends["turn_end"]
    try:
        counted = labels(trainer, given, turn_end, ends["eos"])
        parts: dict[str, Any] = trained_parts(trainer, layout.rows.rows[:given])
        counted = dataclasses.replace(counted, **parts)
    except Exception as error:  # the step itself says whether it is the run's fault
        why = f"{type(error).__name__}: {str(error)[:200]}"
        counted = Labels(given, given, max_length=None, targets=None, full=0, why=why)
    packed = bool(layout.plan.arguments.get("packing"))
    return dataclasses.replace(counted, turn_end_id=turn_end, eos_id=ends["eos"], packed=packed)


def _completions(
    watch: CompletionWatch, layout: Laid, request: dict[str, Any], trainer: Any
) -> Completions | None:
    used = layout.plan.arguments
    limit = used.get("max_completion_length", used.get("response_length", 0))
    ends = {layout.tiny.turn_end, request["ends"]["turn_end"], request["ends"]["eos"]}
    ids = sorted(id for id in ends if id is not None)
    return watch.found(layout.tiny.turn_end, ids, limit, trainer)
