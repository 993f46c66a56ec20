"""A real step does not fit into the GPU's memory.

The job dies with "CUDA out of memory" as soon as the first long rows come, which can be hours
after it started.

Remedy: a smaller per_device_train_batch_size with more gradient_accumulation_steps,
`gradient_checkpointing: true`, shorter rows, an adapter (`use_peft: true`), or more GPUs.

Versions: any; three steps are run with the real weights, on one GPU, with completions of full
length and the longest rows among the first 64 MiB of them. What deepspeed or fsdp would spread over
several GPUs is not spread.

Seen: on the CPU the parts were measured and add up (weights, gradients, two moments of Adam). No
GPU was at hand: the error itself was not provoked.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.question import Answer, Question, Raised
from trl_doctor.core.sizes import GIB, shown
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.full import full, measured
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.probes.answers.full import FullAnswer

from .recorded.full import TRAINED, answers, steps
from .recorded.libraries import IMPORTS

TIGHT = 0.95
"""Of the GPU's memory: what another length or a fragmented heap exceeds."""


def check(facts: Facts) -> Iterator[Finding]:
    answer = facts[full]
    if answer.state == "out of memory" and answer.raised and "CUDA" in answer.raised.message:
        yield Finding(
            facts.run.place(),
            f"a real step does not fit: {answer.reason}",
            evidence=answer.tail[-2:],
            severity="warning",
        )
        return
    found = facts[measured]
    held = max(found.peak, found.reserved)
    if found.total and held > TIGHT * found.total:
        yield Finding(
            facts.run.place(),
            f"a real step takes {shown(held)} of the {shown(found.total)} of this {found.device}",
            evidence=(found.line, f"rows: {found.rows}"),
            severity="note",
        )


STEPS = Question("full", "real steps at full size", {}, FullAnswer)
CUDA = Raised("OutOfMemoryError", "CUDA out of memory. Tried to allocate 2.00 GiB.")
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
    ),
)
