"""What a real step of the real trainer would hold in memory at full size, traced without data."""

from __future__ import annotations

import itertools
import os
import traceback
from pathlib import Path
from typing import Any

from .answers.fit import FitAnswer
from .child import error_answer, line, module_of
from .layout.planning import Laid, laid_out
from .layout.script import script
from .refusal import Refused
from .tracing import depth
from .tracing.described import TRACED
from .tracing.layers import Cut

TOLD = ("per_device_train_batch_size", "max_completion_length", "response_length", "max_length")
"""Of the arguments that were used, those that an answer repeats."""


def answer(request: dict[str, Any]) -> FitAnswer:
    """The peaks of every phase by part, and what they were computed from.

    `request["like"]` is "cuda" or "cpu": whose memory is foretold. With `request["whole"]` all
    layers are traced. Raises `Refused` if the model or the step cannot be traced.
    """
    from .tracing.lengths import from_short
    from .tracing.tracker import TooMany

    without_rewards = {**request, "arguments": {**request["arguments"], "reward_funcs": []}}
    try:
        try:
            return _in_folder(without_rewards, "full")
        except TooMany as stopped:
            number = itertools.count(1)
            return from_short(
                without_rewards, stopped, lambda short: _in_folder(short, f"short{next(number)}")
            )
    except Refused:
        raise
    except Exception as error:
        about = error_answer(error)
        if about.contained or about.memory or about.disk:
            raise
        traceback.print_exc()
        at = "/".join(about.frames[-1][0].split("/")[-2:]) if about.frames else ""
        raise Refused(f"the step cannot be traced: {line(error)} ({at})") from error


def _in_folder(request: dict[str, Any], name: str) -> FitAnswer:
    """Lay a step out in a folder of its own, and trace it there."""
    start, folder = Path.cwd(), Path(name)
    folder.mkdir()
    os.chdir(folder)
    try:
        layout = laid_out(request, Path.cwd(), TRACED)
        Path("repeat.py").write_text(script(layout.plan), "utf-8")
        return _forecast(
            layout, module_of(str(Path("repeat.py").absolute()), f"repeat_{name}"), request
        )
    finally:
        os.chdir(start)


def _forecast(layout: Laid, repeat: Any, request: dict[str, Any]) -> FitAnswer:
    from .tracing.traced import traced
    from .tracing.tracker import MANY

    gpu = request.get("like", "cuda") == "cuda"
    options: dict[str, Any] = {"gpu": gpu, "most": int(request.get("most", MANY))}
    base = traced(repeat, Cut(whole=bool(request.get("whole"))), **options)
    missing_layers = {kind: count - base.cut.kept[kind] for kind, count in base.cut.depths.items()}
    deeper = {
        kind: traced(repeat, Cut(extra=kind), **options)
        for kind in missing_layers
        if missing_layers[kind]
    }
    more = [depth.More(trace.trace, missing_layers[kind]) for kind, trace in deeper.items()]
    used = layout.plan.arguments
    return FitAnswer(
        trainer=layout.plan.class_name,
        architecture=layout.tiny.architecture,
        layers=layout.tiny.layers,
        peaks=tuple(depth.peaks(base.trace, more)),
        held=depth.ended(base.trace, more),
        flops=depth.flops(base.trace, more),
        sizes=depth.sizes(
            base.sizes, [(trace.sizes, missing_layers[kind]) for kind, trace in deeper.items()]
        ),
        calls=base.calls,
        batches=used["gradient_accumulation_steps"],
        arguments={name: used[name] for name in TOLD if name in used},
        rows_from=layout.rows.source,
        changed=layout.arguments.changed,
    )
