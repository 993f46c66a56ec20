"""What the rules on the real vLLM engine share: its answer, and recorded ones for examples."""

from collections.abc import Mapping
from typing import Any

from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.engine import engine
from trl_doctor.facts.vllm_views import concerned


def measured(facts: Facts) -> Mapping[str, Any]:
    """What the engine answered.

    Raises `NotConcerned` where the run does not generate with vLLM, `Unavailable` where no engine
    could be asked.
    """
    concerned(facts)
    told = facts[engine].measured()
    error = told["start"]["error"]
    if error:
        raise Unavailable(f"the vLLM engine does not start: {error['type']}")
    return told


def part(facts: Facts, name: str) -> Any:
    """What it answered to one question; raises `Unavailable` where that was not asked."""
    told = measured(facts)
    if told[name] is None:
        raise Unavailable(f"the vLLM engine was not asked: {told['broken'] or 'it has no weights'}")
    return told[name]


def witness(facts: Facts) -> str:
    """Which engine was asked, on what."""
    told = measured(facts)
    model, version = told["model"], told["versions"]
    ships = version["distribution"] or "vllm"
    return (
        f"asked: {ships} {version['vllm']} ({told['backend']}) with a random "
        f"{model['architecture']} of {model['layers']} layers"
    )
