"""Shared by the rules on the real vLLM engine: the parts of its answer, and the engine's name."""

from trl_doctor.core.question import T
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.engine import engine
from trl_doctor.facts.vllm.views import concerned
from trl_doctor.probes.answers.engine import EngineAnswer, EngineStep
from trl_doctor.probes.answers.engine_sampling import Sampling, Stop
from trl_doctor.probes.answers.engine_weights import Sync

FORBIDDEN = "forbidden"
"""The state of a stop at a token that the run's own arguments keep the engine from."""


def measured(facts: Facts) -> EngineAnswer:
    """The engine's answer.

    Raises `NotConcerned` if the run does not generate with vLLM, `Unavailable` if no engine
    was started.
    """
    concerned(facts)
    answer = facts[engine].measured()
    if error := answer.start.error:
        raise Unavailable(f"the vLLM engine does not start: {error.type}")
    return answer


def step(facts: Facts) -> EngineStep:
    """The training step with the engine. Raises `Unavailable` if there was none."""
    answer = measured(facts)
    return _tested(answer, answer.step)


def sync(facts: Facts) -> Sync:
    """The first weight sync. Raises `Unavailable` if there was none."""
    answer = measured(facts)
    return _tested(answer, answer.sync)


def sampling(facts: Facts) -> Sampling:
    """The run's sampling, and the differences of the log-probabilities. Raises `Unavailable`."""
    answer = measured(facts)
    return _tested(answer, answer.sampling)


def stops(facts: Facts) -> tuple[Stop, ...]:
    """What stops the engine, for each token at which the run should stop. Raises `Unavailable`."""
    answer = measured(facts)
    return _tested(answer, answer.stops)


def _tested(answer: EngineAnswer, result: T | None) -> T:
    if result is None:
        why = answer.not_asked_because or answer.broken or "it has no weights"
        raise Unavailable(f"the vLLM engine was not tested: {why}")
    return result


def witness(facts: Facts) -> str:
    """Which engine was tested, with which model."""
    answer = measured(facts)
    model, version = _tested(answer, answer.model), _tested(answer, answer.versions)
    ships = version.distribution or "vllm"
    return (
        f"tested: {ships} {version.vllm} ({answer.backend}) with a random {model.architecture} of "
        f"{model.layers} layers"
    )
