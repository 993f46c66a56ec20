"""Rules on code that makes a trainer; imported for scripts and notebooks only."""

from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts


def concerned(facts: Facts) -> None:
    """Raises `NotConcerned` for a run that is no code, `Unavailable` if code replaces TRL's."""
    if facts.run.script.passed is None:
        raise NotConcerned("the run is no code that makes a trainer")
    from trl_doctor.facts.script.passed import passed

    passed(facts)
