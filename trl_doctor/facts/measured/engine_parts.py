"""What the rules on the real vLLM engine share: its answer by parts, and which engine it was."""

from trl_doctor.core.question import T
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.engine import engine
from trl_doctor.facts.vllm_views import concerned
from trl_doctor.probes.answers.engine import EngineAnswer, EngineStep, Sampling, Stop, Sync


def measured(facts: Facts) -> EngineAnswer:
    """What the engine answered.

    Raises `NotConcerned` where the run does not generate with vLLM, `Unavailable` where no engine
    could be asked.
    """
    concerned(facts)
    found = facts[engine].measured()
    if error := found.start.error:
        raise Unavailable(f"the vLLM engine does not start: {error.type}")
    return found


def step(facts: Facts) -> EngineStep:
    """The training step with the engine in it. Raises `Unavailable` where there was none."""
    found = measured(facts)
    return _asked(found, found.step)


def sync(facts: Facts) -> Sync:
    """The first weight sync. Raises `Unavailable` where there was none, as do the next two."""
    found = measured(facts)
    return _asked(found, found.sync)


def sampling(facts: Facts) -> Sampling:
    """The run's sampling, and how far apart the log-probabilities are."""
    found = measured(facts)
    return _asked(found, found.sampling)


def stops(facts: Facts) -> tuple[Stop, ...]:
    """What stops the engine, for each token at which the run means to stop."""
    found = measured(facts)
    return _asked(found, found.stops)


def _asked(found: EngineAnswer, part: T | None) -> T:
    if part is None:
        raise Unavailable(f"the vLLM engine was not tested: {found.broken or 'it has no weights'}")
    return part


def witness(facts: Facts) -> str:
    """Which engine was asked, on what."""
    found = measured(facts)
    model, version = _asked(found, found.model), _asked(found, found.versions)
    ships = version.distribution or "vllm"
    return (
        f"tested: {ships} {version.vllm} ({found.backend}) with a random {model.architecture} of "
        f"{model.layers} layers"
    )
