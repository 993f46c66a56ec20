"""Rules on what a run sets, names or starts, beyond its model; not imported for a model folder."""

from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts


def concerned(facts: Facts) -> None:
    """Raises `NotConcerned` for a model folder alone."""
    if facts.run.target.kind == "model":
        raise NotConcerned("the target is a model folder")
