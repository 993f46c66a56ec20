"""Rules that need an answer of the real libraries; imported only where they can be asked."""

from trl_doctor.facts import Facts
from trl_doctor.facts.measured.live import live


def concerned(facts: Facts) -> None:
    """Raises `Unavailable` if no probe can be asked, and no trainer of a program was looked at."""
    if facts.get(live) is None:
        _ = facts.probes.conditions
