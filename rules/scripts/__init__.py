"""Rules on code that makes a trainer; imported for scripts and notebooks only."""

from trl_doctor.facts.passed import passed as concerned

__all__ = ["concerned"]
