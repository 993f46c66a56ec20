"""Rules that need an answer of the real libraries; imported only where they can be asked."""

from trl_doctor.facts import Facts


def concerned(facts: Facts) -> None:
    """Raises `Unavailable` if no probe can be asked."""
    _ = facts.probes.conditions
