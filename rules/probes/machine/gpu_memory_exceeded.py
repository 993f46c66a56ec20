"""A training step does not fit into the GPU's memory.

The job fails with "CUDA out of memory" when the first long rows come, which can be hours after it
started.

Remedy: use a smaller per_device_train_batch_size with more gradient_accumulation_steps,
`gradient_checkpointing: true`, shorter rows, an adapter (`use_peft: true`), or more GPUs.

Versions: any. With `--gpu` the step is traced at full size without data, and what DeepSpeed or FSDP
shards is computed (`trl-doctor fit` shows all of it). With `--level full` three steps are run with
the real weights on one GPU, with completions of full length and the longest rows of the first 64
MiB; nothing is sharded.

Seen: on the CPU the parts were measured and add up (weights, gradients, two moments of Adam), and
forecasts equal real steps there (`benchmarks/fit.py`). The error itself was not reproduced on a
GPU.
"""

import re
from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Fix, Json, Put, pointer
from trl_doctor.core.question import Answer, Question, Raised
from trl_doctor.core.sizes import GIB, shown
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.forecast.changes import Change, changes
from trl_doctor.facts.forecast.hardware import shared_by
from trl_doctor.facts.forecast.memory import forecast
from trl_doctor.facts.measured.full import full, measured
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.probes.answers.full import FullAnswer

from ..._recorded.candidate import CONFIG, RUN, TOKENIZER, candidate
from ..._recorded.fit import LARGE, TRACED
from ..._recorded.full import TRAINED, answers, steps
from ..._recorded.libraries import IMPORTS

TIGHT = 0.95
"""The share of the GPU's memory that a longer row or a fragmented heap can exceed."""


def check(facts: Facts) -> Iterator[Finding]:
    if facts.run.hardware is not None and not _real(facts):
        yield from _foretold(facts)
        return
    answer = facts[full]
    if answer.state == "out of memory" and answer.raised and "CUDA" in answer.raised.message:
        if shared := shared_by(facts):
            raise Unavailable(
                f"the run does not fit one GPU alone, but {shared} divides it over several: "
                "use --gpu, for example --gpu 8xH100-80GB, for a forecast"
            )
        if allowed := re.search(r"[\d.]+ [KMG]iB(?= allowed)", answer.raised.message):
            raise Unavailable(
                f"other programs use this GPU, and the steps need more than the {allowed[0]} that "
                "is free: check the run again when they have ended"
            )
        yield Finding(
            facts.run.place(),
            f"a real step does not fit: {answer.reason}",
            evidence=answer.tail[-2:],
            severity="warning",
        )
        return
    measurement = facts[measured]
    memory = max(measurement.peak, measurement.reserved)
    if measurement.total and memory > TIGHT * measurement.total:
        yield Finding(
            facts.run.place(),
            f"a real step takes {shown(memory)} of the {shown(measurement.total)} of this "
            f"{measurement.device}",
            evidence=(measurement.line, f"rows: {measurement.rows}"),
            severity="note",
        )


def _real(facts: Facts) -> bool:
    """Whether real steps are run, which are more precise than a forecast."""
    try:
        return facts.probes.conditions.level == "full"
    except Unavailable:
        return False


def _foretold(facts: Facts) -> Iterator[Finding]:
    predicted = facts[forecast]
    peak, room = predicted.peak, predicted.hardware.card.memory
    parts = sorted(peak.parts.items(), key=lambda item: -item[1])
    evidence = (
        f"{predicted.hardware.line}; {peak.name}: "
        + ", ".join(f"{name} {shown(size)}" for name, size in parts[:6]),
        *(
            f"{tensor.count} × {list(tensor.shape)} {tensor.dtype}: {tensor.at}"
            for tensor in peak.largest[:1]
        ),
    )
    if predicted.fits:
        if not predicted.roomy:
            message = f"{peak.name} is forecast to take {shown(peak.total)} of {shown(room)} a GPU"
            yield Finding(facts.run.place(), message, evidence=evidence, severity="note")
        return
    tried = [change for change in facts[changes] if change.arguments]
    yield Finding(
        facts.run.place(),
        f"{peak.name} is forecast to take {shown(peak.total)} a GPU, which has {shown(room)}",
        evidence=evidence,
        fix=_fix(facts, tried[0]) if tried else None,
        remedy="; or ".join(change.message for change in facts[changes] if not change.arguments),
    )


def _fix(facts: Facts, change: Change) -> Fix | None:
    file = facts.run.place().file
    if facts.run.file is None or isinstance(facts.run.file, Unavailable):
        return None
    edits = tuple(Put(file, pointer(name), value) for name, value in change.arguments.items())
    return Fix(f"{change.message} ({shown(change.peak)}; {change.cost})", edits, safe=False)


NEW = {"trl": "1.16.0", "transformers": "5.23.0"}
STEPS = Question("full", "real steps at full size", {}, FullAnswer)
CUDA = Raised("OutOfMemoryError", "CUDA out of memory. Tried to allocate 2.00 GiB.")
BESIDE = Raised(
    "OutOfMemoryError",
    "CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.10 GiB of "
    "which 40.00 GiB is free. 18.00 GiB allowed; Of the allocated memory 17.10 GiB is allocated",
)
ZERO: dict[str, Json] = {"zero_optimization": {"stage": 3}}
FSDP: dict[str, Json] = {"distributed_type": "FSDP", "num_processes": 8}
DDP: dict[str, Json] = {"distributed_type": "MULTI_GPU", "num_processes": 8}
LIMIT = "it took 12.0 GiB of memory, 8.0 GiB are allowed"
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            TRAINED,
            level="full",
            answers=answers(Answer(STEPS, "out of memory", reason=CUDA.line, raised=CUDA)),
            says="a real step does not fit: OutOfMemoryError: CUDA out of memory",
        ),
        Bad(
            TRAINED,
            level="full",
            answers=answers(steps(23 * GIB)),
            severity="note",
            says="takes 23.0 GiB of the 24.0 GiB",
        ),
        Good(
            TRAINED,
            level="full",
            answers=answers(steps(12 * GIB)),
        ),
        Good(
            TRAINED,
            level="full",
            answers=answers(Answer(STEPS, "out of memory", reason=BESIDE.line, raised=BESIDE)),
            skipped="other programs use this GPU, and the steps need more than the 18.00 GiB that",
        ),
        Good(
            {**candidate({**RUN, "deepspeed": "ds.json"}, TOKENIZER, CONFIG), "ds.json": ZERO},
            answers=answers(Answer(STEPS, "out of memory", reason=CUDA.line, raised=CUDA)),
            level="full",
            skipped="the run does not fit one GPU alone, but ds.json divides",
        ),
        Good(
            {
                **candidate({**RUN, "accelerate_config": "a.json"}, TOKENIZER, CONFIG),
                "a.json": FSDP,
            },
            answers=answers(Answer(STEPS, "out of memory", reason=CUDA.line, raised=CUDA)),
            level="full",
            skipped="the run does not fit one GPU alone, but a.json divides",
        ),
        Bad(
            {**candidate({**RUN, "accelerate_config": "a.json"}, TOKENIZER, CONFIG), "a.json": DDP},
            answers=answers(Answer(STEPS, "out of memory", reason=CUDA.line, raised=CUDA)),
            level="full",
            says="a real step does not fit: OutOfMemoryError: CUDA out of memory",
        ),
        Good(
            TRAINED,
            level="full",
            answers=answers(Answer(STEPS, "out of memory", reason=LIMIT)),
            skipped="real steps at full size: it took 12.0 GiB of memory",
        ),
        Good(
            TRAINED,
            level="full",
            answers=answers(Answer(STEPS, "out of memory", raised=Raised("MemoryError", ""))),
            skipped="real steps at full size",
        ),
        Good(TRAINED, answers=IMPORTS),
        Bad(
            LARGE,
            versions=NEW,
            gpu="A100-80GB",
            answers=TRACED,
            says="is forecast to take 135.5 GiB a GPU, which has 79.1 GiB",
        ),
        Good(LARGE, versions=NEW, gpu="B200", answers=TRACED),
        Good(LARGE, versions=NEW, gpu="B200", skipped="has no answers of probes"),
    ),
)
