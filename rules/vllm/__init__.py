"""Rules on runs that generate with vLLM, and on its server; imported for these only."""

from trl_doctor.facts import Facts
from trl_doctor.facts.vllm.views import concerned as generating


def concerned(facts: Facts) -> None:
    """Raises `NotConcerned` if the run does not generate with vLLM, and no server is named."""
    if not facts.run.vllm_server:
        generating(facts)
