"""Shared by the rules about the training step: its failures, and the calls that led to them."""

from collections.abc import Callable
from typing import Any

from trl_doctor.core.plain import excerpt
from trl_doctor.core.question import Answer, Raised
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.own_code import NAMES, own_code
from trl_doctor.facts.measured.step import control, installation_at_fault, step, stepped
from trl_doctor.facts.passed import Passed
from trl_doctor.probes.answers.error import Error
from trl_doctor.probes.answers.step import StepAnswer

LOADING = "model_init_kwargs"
"""The argument that the step passes to the config instead of a script's `from_pretrained`."""

OF_CPU = "mixed dtype (CPU)"
"""Torch's error for a float16 norm under autocast, where the step has no GPU."""

LIBRARIES = ("trl/", "transformers/", "peft/", "accelerate/")


def own_failure(facts: Facts) -> Answer[StepAnswer] | None:
    """The step's answer where it fails and a healthy model does not; None if it succeeds.

    Raises `Unavailable` if it was refused or not understood, met what a probe may not do,
    and where the installation is at fault.
    """
    answer = facts[step]
    label = answer.question.label
    if answer.state in ("refused", "not understood") or (answer.raised and answer.raised.contained):
        raise Unavailable(f"{label}: {answer.reason}")
    if installation_at_fault(facts):
        raise Unavailable(f"a healthy model fails with the same error: {answer.reason}")
    if answer.state == "answered":
        return None
    if answer.raised and OF_CPU in answer.raised.message:
        raise Unavailable(f"{label}: only a CPU refuses this: {answer.raised.line}")
    passed = facts.run.script.passed
    if passed is not None and answer.raised and (why := _left_out(facts, passed, answer.raised)):
        raise Unavailable(f"{label}: {why}")
    return answer


def _left_out(facts: Facts, passed: Passed, raised: Raised) -> str:
    """What the script does and the step leaves out, which may be the cause; "" for nothing."""
    if LOADING in raised.message:
        return "the script loads the model itself, with options"
    names = (name for name in NAMES if passed.has(name) and name not in facts[own_code])
    name = next(names, "")
    return f"it leaves out the script's {name}; use `trl-doctor rehearse`" if name else ""


def own_later_failure(
    facts: Facts, failure: Callable[[StepAnswer], Error | None], doing: str, participle: str
) -> Error | None:
    """What fails after a step that succeeded, as evaluating; None if nothing does.

    Raises `Unavailable` if the machine is at fault, or a healthy model fails there too.
    """
    raised = failure(facts[stepped])
    if raised is None:
        return None
    if raised.contained or raised.memory or raised.disk:
        raise Unavailable(f"{doing} the small model: {raised.line}")
    healthy = facts.get(control)
    if healthy and healthy.value and (other := failure(healthy.value)):
        raise Unavailable(f"a healthy model cannot be {participle} either: {other.line}")
    return raised


def calls(answer: Answer[Any], most: int = 3) -> tuple[str, ...]:
    """The last calls inside the libraries, innermost last, with their source."""
    return calls_of(answer.raised.frames if answer.raised else (), most)


def calls_of(frames: tuple[tuple[str, int, str, str], ...], most: int = 3) -> tuple[str, ...]:
    """The last calls of an error inside the libraries, innermost last, with their source."""
    inside = [
        frame for frame in frames if any(f"/{name}" in frame[0] for name in LIBRARIES)
    ] or frames
    return tuple(
        f"{_from_library(file)}:{line}: {excerpt(code, 120)}"
        for file, line, _, code in inside[-most:]
    )


def _from_library(file: str) -> str:
    """A source file's path below the folder in which its library is installed."""
    starts = [file.rfind(f"/{name}") for name in LIBRARIES]
    return file[max(starts) + 1 :] if max(starts) >= 0 else file.rpartition("site-packages/")[2]


def repeated(answer: Answer[Any]) -> tuple[str, ...]:
    """The command that repeats the step, if it was kept."""
    return (f"again: {answer.repeat}",) if answer.repeat else ()
